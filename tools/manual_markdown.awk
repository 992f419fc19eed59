# manual_markdown.awk - Markdown, as docs/format.md uses it, to roff with tbl. The text is escaped already: a
# backquote is \(ga, a dash \-.
# Bold, italics and code.
function inline(s) {
    while (match(s, /\\\(ga[^\\]*(\\[^(][^\\]*)*\\\(ga/))
        s = substr(s, 1, RSTART - 1) "\\fB" substr(s, RSTART + 4, RLENGTH - 8) "\\fR" substr(s, RSTART + RLENGTH)
    while (match(s, /\*\*[^*]+\*\*/))
        s = substr(s, 1, RSTART - 1) "\\fB" substr(s, RSTART + 2, RLENGTH - 4) "\\fR" substr(s, RSTART + RLENGTH)
    while (match(s, /\*[^* ][^*]*\*/))
        s = substr(s, 1, RSTART - 1) "\\fI" substr(s, RSTART + 1, RLENGTH - 2) "\\fR" substr(s, RSTART + RLENGTH)
    return s
}
function end_code() { if (code) print ".EE"; code = 0 }
# Columns of long cells share the width that is left; a cell of theirs is a block of text.
function end_table(   i, j, cells, n, line, format, longest) {
    if (!rows) return
    n = split(row[1], cells, "|") - 2
    for (j = 1; j <= rows; j++) {
        split(row[j], cells, "|")
        for (i = 1; i <= n; i++) if (length(cells[i + 1]) > longest[i]) longest[i] = length(cells[i + 1])
    }
    for (i = 1; i <= n; i++) format = format (i == n || longest[i] > 30 ? " lx" : " l")
    print ".PP\n.TS\n" substr(format, 2) "."
    for (j = 1; j <= rows; j++) {
        if (j == 2) { print "_"; continue } # the line of dashes
        split(row[j], cells, "|")
        line = ""
        for (i = 1; i <= n; i++)
            line = line (i > 1 ? "\t" : "") block(trim(inline(cells[i + 1])), i == n || longest[i] > 30)
        print line
    }
    print ".TE"
    rows = 0
}
function block(s, yes) { return yes ? "T{\n" s "\nT}" : s }
# A cell without blanks around it; a dot at its start is no request.
function trim(s) { gsub(/^ +| +$/, "", s); sub(/^\./, "\\\\\\&.", s); return s }

/^\\\(ga\\\(ga\\\(ga/ { end_table(); fenced = !fenced; print fenced ? ".PP\n.EX" : ".EE"; next }
fenced { print; next }
/^\|/ { end_code(); row[++rows] = $0; next }
{ end_table() }
/^    / { if (!code) print ".PP\n.EX"; code = 1; print substr($0, 5); next }
/^$/ { gap = 1; next }
{ end_code() }
/^## / { sub(/^## /, ""); print ".SH " toupper(inline($0)); gap = 0; next }
/^### / { sub(/^### /, ""); print ".SS " inline($0); gap = 0; next }
{ if (gap) print ".PP"; gap = 0; print inline($0) }
END { end_table(); end_code() }
