#!/usr/bin/env python3
"""kind_files - which files make up a kind, and which kinds a change concerns.

    tools/kind_files.py kinds             every kind, one per line
    tools/kind_files.py files KIND...     the sources of these kinds: own files, then shared parts and formulas
    tools/kind_files.py depth [COMMITS]   the kinds that .ci/run looks at in depth, one "KIND why" per line
    tools/kind_files.py lab KIND...       the experiments of the lab that measure one of these kinds
    tools/kind_files.py --self-test DIR   checks all this on a small tree made in DIR

Everything is read from the tree. A kind's own files are those of its room, src/kinds/FAMILY/KIND. It uses a part
when it includes the part's header, directly or through another part, and a file of formulas when one of these
mentions a function defined there.

Depth is the same for the same commit: the kinds whose own files changed in the last 40 commits, then those whose
parts or formulas changed, 15 at most; and a third of the others, in turn, by the number of commits. Lines of
kinds that are past the limit of 15 start with "#".
"""
import os, pathlib, re, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMITS, MOST, TURNS = 40, 15, 3


def kinds():
    """Names as users write them, in the order of kinds.def."""
    text = (ROOT / "src/kinds/kinds.def").read_text()
    return [name.replace("_", "-") for name in re.findall(r"^BLM_KIND\((\w+)\)", text, re.M)]


def not_copied(folder, names):
    """For shutil.copytree of the tree: build/ and .git at its top; src/core/build has sources."""
    return {"build", ".git"} & set(names) if pathlib.Path(folder) == ROOT else set()


def room(kind):
    """The folder of a kind, from the root; exits where there is none."""
    found = sorted((ROOT / "src/kinds").glob(f"*/{kind.replace('-', '_')}/"))
    if len(found) != 1:
        sys.exit(f"kind_files: {kind} has {len(found)} rooms src/kinds/*/{kind.replace('-', '_')}, not one")
    return str(found[0].relative_to(ROOT))


def named_after(test):
    """The kind of the test test_kinds_NAME: of counting and counting-line, the longest that fits."""
    stem = test.removeprefix("test_kinds_").replace("_", "-")
    fits = [k for k in kinds() if stem == k or stem.startswith(k + "-")]
    return max(fits, key=len, default=None)


def owner(name):
    """The kind in whose room a file is, or None."""
    m = re.match(r"src/kinds/\w+/(\w+)/", name)
    kind = m and m.group(1).replace("_", "-")
    return kind if kind in kinds() else None


def sources(kind):
    """The .c and .h files of a room that the library is made of: not the tests, nor the form that they compare with."""
    return [f"{room(kind)}/{p.name}" for p in sorted((ROOT / room(kind)).glob("*.[ch]"))
            if not re.match(r"test|form\.h$", p.name)]


def shared_code():
    """What mutants are made of beside the kinds' own files: shared parts, and the core that images and batches go through."""
    core = ["src/core/image/header.c", "src/core/image/load.c", "src/core/image/save.c", "src/core/image/file.c",
            "src/simd/block.h", "src/core/batch.c", "src/core/shared.h"]
    parts = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "src/parts").glob("*.[ch]"))
    missing = [name for name in core if not (ROOT / name).exists()]
    if missing or not parts:
        sys.exit(f"kind_files: {missing[0] if missing else 'src/parts/*'} is not there: it has moved")
    return parts + core


class Sources:
    """Parts and formulas as nodes ("parts/bits" is bits.c and bits.h), and who uses what."""

    def __init__(self):
        self.text = {}
        for path in sorted(p for folder in ("parts", "theory") for p in (ROOT / "src" / folder).glob("*.[ch]")):
            node = str(path.relative_to(ROOT / "src").with_suffix(""))
            self.text[node] = self.text.get(node, "") + path.read_text()
        for kind in kinds():
            self.text["kinds/" + kind] = "".join((ROOT / name).read_text() for name in sources(kind))
        self.defined = {}  # the name of a function of theory -> its node
        for node in [n for n in self.text if n.startswith("theory/")]:
            for name in re.findall(r"^(?!static)\w[^;{}()\n]*?\b(blm_\w+)\(", self.text[node], re.M):
                self.defined.setdefault(name, node)

    def direct(self, node):
        text = self.text.get(node, "")
        found = set(re.findall(r'#include "((?:parts|theory)/\w+)\.h"', text))
        found |= {self.defined[w] for w in re.findall(r"\bblm_\w+(?=\()", text) if w in self.defined}
        return {n for n in found if n in self.text} - {node}

    def used_by(self, kind):
        """All parts and formulas that a kind uses, directly or not."""
        seen, todo = set(), ["kinds/" + kind]
        while todo:
            for node in self.direct(todo.pop()) - seen:
                seen.add(node)
                todo.append(node)
        return seen

    def users(self):
        """node -> the kinds that use it"""
        table = {}
        for kind in kinds():
            for node in self.used_by(kind):
                table.setdefault(node, []).append(kind)
        return table


def node_of(name):
    m = re.match(r"src/((?:parts|theory)/\w+)\.[ch]$", name)
    return m.group(1) if m else None


def files(kind):
    """The kind's own sources, then its parts and formulas, as paths from the root."""
    shared = [f"src/{n}.{e}" for n in sorted(Sources().used_by(kind)) for e in ("c", "h")]
    return sources(kind) + [name for name in shared if (ROOT / name).exists()]


def concerned(name, users=None):
    """The kinds that a change of this file concerns: one, the users of a part, or none in particular."""
    if owner(name):
        return [owner(name)]
    return (Sources().users() if users is None else users).get(node_of(name), [])


def experiments(wanted):
    """Experiments whose sources name one of these kinds in a string."""
    found = []
    for folder in sorted(p for p in (ROOT / "lab").iterdir() if p.is_dir()):
        text = "".join(p.read_text() for p in sorted(folder.glob("*.[ch]")))
        if any(re.search(rf'"{kind}(?![\w-])', text) for kind in wanted):
            found.append(folder.name)
    return found


def git(*words):
    if not shutil.which("git"):
        return None
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


def depth(commits=COMMITS):
    """([(kind, why)], [kinds past the limit]); the same for the same commit."""
    number, log = git("rev-list", "--count", "HEAD"), git("log", f"-{commits}", "--name-only", "--format=")
    if number is None or log is None:
        sys.exit("kind_files: depth is chosen by the history of a git clone, and this is none: name the kinds instead")
    users, changed = Sources().users(), sorted(set(filter(None, log)))
    own = {owner(name) for name in changed}
    shared = {kind: name for name in reversed(changed) if not owner(name) for kind in concerned(name, users)}
    first = [(k, "its own files changed") for k in kinds() if k in own]
    first += [(k, f"{shared[k]} changed") for k in kinds() if k in shared and k not in own]
    turn, others = int(number[0]), [k for k in kinds() if k not in own and k not in shared]
    in_turn = [(k, f"its turn, {turn % TURNS + 1} of {TURNS}") for i, k in enumerate(others) if i % TURNS == turn % TURNS]
    return first[:MOST] + in_turn, first[MOST:]


def plant(folder, names):
    """A tree in which kind k1 uses part p1, k2 the formula f1, and 40 kinds more use nothing."""
    global ROOT
    ROOT = folder
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("src/kinds", "src/parts", "src/theory", "lab/first", "lab/second", *(f"src/kinds/f/{name}" for name in names)):
        (folder / part).mkdir(parents=True)
    texts = {"src/kinds/kinds.def": "".join(f"BLM_KIND({name})\n" for name in names),
             "src/kinds/f/k1/k1.c": '#include "cells.h"\n', "src/kinds/f/k1/cells.h": '#include "parts/p1.h"\n',
             "src/kinds/f/k1/test.c": "int main;\n", "src/kinds/f/k2/k2.c": "x = blm_f1(1);\n", "src/parts/p1.h": '#include "parts/p2.h"\n', "src/parts/p2.c": "int p2;\n",
             "src/parts/p2.h": "extern int p2;\n", "src/theory/f1.c": "double blm_f1(double x)\n{\n}\n",
             "lab/first/a.c": '"k1 keys=10"', "lab/second/b.c": '"k2-line"'}
    for name in names:
        texts.setdefault(f"src/kinds/f/{name}/{name}.c", "int x;\n")
    for name, text in texts.items():
        (folder / name).write_text(text)


def self_test(folder):
    names = ["k1", "k2", "k2_line", *(f"o{i}" for i in range(39))]
    plant(folder, names)
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    call = lambda *words: subprocess.run(["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e", *words], check=True,
                                         env=env, stdout=subprocess.DEVNULL)
    def commit(name):
        (folder / name).open("a").write("\n/* changed */\n")
        call("add", "-A")
        call("commit", "-q", "-m", name)
    call("init", "-q")
    commit("README")
    failures = []
    def expect(what, is_now, wanted):
        if is_now != wanted:
            failures.append(f"{what}: {is_now}, expected {wanted}")
    expect("files of k1", files("k1"), ["src/kinds/f/k1/cells.h", "src/kinds/f/k1/k1.c", "src/parts/p1.h",
                                          "src/parts/p2.c", "src/parts/p2.h"])
    expect("files of k2", files("k2"), ["src/kinds/f/k2/k2.c", "src/theory/f1.c"])
    expect("the owner of a test", owner("src/kinds/f/k2_line/test_more.c"), "k2-line")
    expect("the kind of a test", named_after("test_kinds_k2_line_more"), "k2-line")
    expect("the owner of a part", owner("src/parts/p1.h"), None)
    expect("experiments", experiments(["k1"]) + experiments(["k2"]) + experiments(["k2-line"]), ["first", "second"])
    for name in ("src/parts/p2.c", "src/kinds/f/k2/test.c"):
        commit(name)
    expect("own files first", [k for k, _ in depth(2)[0]][:2], ["k2", "k1"])
    turns = []
    for _ in range(TURNS):
        commit("README")
        turns += [k for k, _ in depth(1)[0]]
        expect("the same twice", depth(1), depth(1))
    expect("all in three turns", sorted(turns), sorted(kinds()))
    for i in range(20):
        (folder / f"src/kinds/f/o{i}/o{i}.c").write_text("changed")
    commit("src/theory/f1.c") # and k2, which uses it: 21 kinds
    chosen, left = depth(1)
    expect("a copy leaves out", [sorted(not_copied(ROOT, ["build", "src", ".git"])), not_copied(ROOT / "src/core", ["build"])],
           [[".git", "build"], set()])
    expect("the limit", [sum("changed" in why for _, why in chosen), len(left), left[-1][0]], [MOST, 21 - MOST, "k2"])
    print(*failures, sep="\n" if failures else "")
    if not failures:
        print("kind_files: owners, parts, formulas, turns and the limit are as they should be")
    sys.exit(1 if failures else 0)


def main(words):
    if words[:1] == ["--self-test"] and len(words) == 2:
        return self_test(pathlib.Path(words[1]).resolve())
    verb, rest = (words[0], words[1:]) if words else ("", [])
    unknown = [k for k in rest if verb in ("files", "lab") and k not in kinds()]
    if unknown:
        sys.exit(f"kind_files: no kind {unknown[0]}: there are {', '.join(kinds())}")
    if verb == "kinds" and not rest:
        print(*kinds(), sep="\n")
    elif verb == "files" and rest:
        print(*dict.fromkeys(name for kind in rest for name in files(kind)), sep="\n")
    elif verb == "lab" and rest:
        print(*experiments(rest), sep="\n")
    elif verb == "depth" and len(rest) <= 1:
        chosen, left = depth(*map(int, rest))
        for kind, why in chosen:
            print(kind, why)
        for kind, why in left:
            print("#", kind, why)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
