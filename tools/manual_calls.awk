# manual_calls.awk - one page of section 3 for each function of a public header, made from the comment above it.
#   awk -v out=DIR -v header=bloomery/core.h -v page=bloomery_core -v version=V -f tools/manual_calls.awk FILE
#
# The first sentence of the comment is the line under NAME; all of it is the description.
function roff(text) {
    gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/`/, "\\(ga", text); gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text); gsub(/'/, "\\(aq", text); sub(/^\./, "\\\\\\&.", text)
    return text
}
function words(from, to,    i, text) {
    for (i = from; i <= to; i++) text = text (i > from ? " " : "") line[i]
    return text
}
# Up to the first full stop, colon or semicolon that ends a clause; without its end.
function summary(    text, at) {
    text = words(1, lines)
    at = match(text, /[.;:]( |$)/)
    if (at) text = substr(text, 1, at - 1)
    return tolower(substr(text, 1, 1)) substr(text, 2)
}
function write_page(    file, i, code, gap, call, row, rows) {
    call = declaration
    sub(/\(.*/, "", call); sub(/.*[ *]/, "", call)
    if (!lines) { print FILENAME ": " call " has no comment of its own" > "/dev/stderr"; failed = 1; return }
    file = out "/" call ".3"
    printf ".\\\" Made from include/%s by tools/manual.sh.\n.TH \"%s\" \"3\" \"\" \"bloomery %s\" \"Bloomery\"\n",
        header, toupper(call), version > file
    printf ".SH NAME\n%s \\- %s\n", call, roff(summary()) > file
    printf ".SH SYNOPSIS\n.nf\n.B #include <%s>\n.PP\n", header > file
    sub(/^BLM_(API|INLINE) /, "", shown); sub(/^BLM_MUST_USE /, "", shown)
    rows = split(shown, row, "\n")
    for (i = 1; i <= rows; i++) { sub(/^ +/, i > 1 ? "    " : "", row[i]); print roff(row[i]) > file }
    print ".fi\n.SH DESCRIPTION" > file
    for (i = 1; i <= lines; i++) {
        if (line[i] ~ /^ /) { if (!code) print ".PP\n.EX" > file; code = 1 }
        else if (code) { print ".EE" > file; code = 0 }
        if (line[i] == "") { gap = 1; continue }
        if (gap && !code) print ".PP" > file
        gap = 0
        print roff(line[i]) > file
    }
    if (code) print ".EE" > file
    printf ".SH SEE ALSO\n.BR %s (3),\n.BR bloomery (3)\n", page > file
    close(file)
}
/^\/\*/ { lines = 0; inside = 1 }
inside {
    text = $0
    last = sub(/ *\*\/ *$/, "", text)
    sub(/^\/\* ?/, "", text); sub(/^ \* ?/, "", text)
    if (text != "" || !last) line[++lines] = text
    if (last) inside = 0
    next
}
/^BLM_(API|INLINE) / { declaration = shown = ""; declares = 1 }
declares {
    shown = shown (shown == "" ? "" : "\n") $0
    declaration = declaration " " $0
    if (/;/) { write_page(); declares = lines = 0 }
    next
}
{ lines = 0 } # the comment belonged to something else
END { exit failed }
