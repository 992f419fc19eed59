#!/usr/bin/env python3
"""kind_files - which files make up a kind, and which kinds a change concerns.

    tools/kind_files.py kinds             every kind, one per line
    tools/kind_files.py files KIND...     the sources of these kinds: own files, then shared parts and formulas
    tools/kind_files.py depth [COMMITS]   the kinds that .ci/run looks at in depth, one "KIND why" per line
    tools/kind_files.py lab KIND...       the experiments of the lab that measure one of these kinds
    tools/kind_files.py --self-test DIR   checks all this on a small tree made in DIR

Everything is read from the tree. A kind's own files are those that bear its name. It uses a part when it
includes the part's header, directly or through another part, and a file of formulas when one of these
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


def named_after(name):
    """The kind after which a path is named: of counting and counting-line, the longest that fits."""
    stem = re.sub(r"^(test|kind)_", "", pathlib.PurePath(name).stem).replace("_", "-")
    fits = [k for k in kinds() if stem == k or stem.startswith(k + "-")]
    return max(fits, key=len, default=None)


OWN_FOLDERS = re.compile(r"(src/kinds|tests/kinds|tests/golden|tests/reader|tests/theory/forms|tools/cells)/")


def owner(name):
    """The kind that a file belongs to alone, or None."""
    return named_after(name) if OWN_FOLDERS.match(name) else None


class Sources:
    """Parts and formulas as nodes ("parts/bits" is bits.c and bits.h), and who uses what."""

    def __init__(self):
        self.text = {}
        for path in sorted((ROOT / "src").glob("*/*.[ch]")):
            node = str(path.relative_to(ROOT / "src").with_suffix(""))
            if not node.startswith("core/"):
                self.text[node] = self.text.get(node, "") + path.read_text()
        self.defined = {}  # the name of a function of theory -> its node
        for node in [n for n in self.text if n.startswith("theory/")]:
            for name in re.findall(r"^(?!static)\w[^;{}()\n]*?\b(blm_\w+)\(", self.text[node], re.M):
                self.defined.setdefault(name, node)

    def direct(self, node):
        text = self.text.get(node, "")
        found = set(re.findall(r'#include "((?:parts|theory)/\w+)\.h"', text))
        found |= {self.defined[w] for w in re.findall(r"\bblm_\w+(?=\()", text) if w in self.defined}
        # tests of a part stand beside a header of the same name; groups_theory.c has that of groups.h
        found |= {n for n in self.text if n.startswith(node + "_") and node.startswith("parts/")}
        return {n for n in found if n in self.text} - {node}

    def used_by(self, kind):
        """All parts and formulas that a kind uses, directly or not."""
        seen, todo = set(), ["kinds/" + kind.replace("-", "_")]
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
    """The kind's own source, then its parts and formulas, as paths from the root."""
    nodes = ["kinds/" + kind.replace("-", "_"), *sorted(Sources().used_by(kind))]
    return [str(p.relative_to(ROOT)) for n in nodes for e in ("c", "h") if (p := ROOT / f"src/{n}.{e}").exists()]


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
    for part in ("src/kinds", "src/parts", "src/theory", "tests/kinds", "lab/first", "lab/second"):
        (folder / part).mkdir(parents=True)
    texts = {"src/kinds/kinds.def": "".join(f"BLM_KIND({name})\n" for name in names), "src/kinds/k1.c": '#include "parts/p1.h"\n',
             "src/kinds/k2.c": "x = blm_f1(1);\n", "src/parts/p1.h": '#include "parts/p2.h"\n', "src/parts/p2.c": "int p2;\n",
             "src/parts/p2.h": "extern int p2;\n", "src/theory/f1.c": "double blm_f1(double x)\n{\n}\n",
             "lab/first/a.c": '"k1 keys=10"', "lab/second/b.c": '"k2-line"'}
    for name in names:
        texts.setdefault(f"src/kinds/{name}.c", "int x;\n")
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
    expect("files of k1", files("k1"), ["src/kinds/k1.c", "src/parts/p1.h", "src/parts/p2.c", "src/parts/p2.h"])
    expect("files of k2", files("k2"), ["src/kinds/k2.c", "src/theory/f1.c"])
    expect("the owner of a test", owner("tests/kinds/test_k2_line_more.c"), "k2-line")
    expect("the owner of a part", owner("src/parts/p1.h"), None)
    expect("experiments", experiments(["k1"]) + experiments(["k2"]) + experiments(["k2-line"]), ["first", "second"])
    for name in ("src/parts/p2.c", "tests/kinds/test_k2.c"):
        commit(name)
    expect("own files first", [k for k, _ in depth(2)[0]][:2], ["k2", "k1"])
    turns = []
    for _ in range(TURNS):
        commit("README")
        turns += [k for k, _ in depth(1)[0]]
        expect("the same twice", depth(1), depth(1))
    expect("all in three turns", sorted(turns), sorted(kinds()))
    for i in range(20):
        (folder / f"src/kinds/o{i}.c").write_text("changed")
    commit("src/theory/f1.c") # and k2, which uses it: 21 kinds
    chosen, left = depth(1)
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
