# From folded stacks to an SVG: a row a depth, the outermost function on top, widths by cost. In a browser the cursor on a box
# tells the whole name and the cost, a click makes a box as wide as the picture, and what is searched for is marked, with its
# share (flame.js, whose text is in `-v script=FILE`). `-v title=TEXT` says what is seen. Boxes of less than a twentieth of a
# pixel are left out; names, where there is room, are written by the script, and here for what runs none.

function escape(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/"/, "\\&quot;", text)
    return text
}

# A colour a module, so that neighbours of one phase look alike.
function colour(name,    text, k, h) {
    text = name
    gsub(/<impl |[<>&]/, "", text)
    if (text ~ /^sysyc::/) {
        sub(/^sysyc::/, "", text)
        if (match(text, /^[a-z_0-9]+::[a-z_0-9]+/)) text = substr(text, 1, RLENGTH)
        h = 0
        for (k = 1; k <= length(text); k++) h = (h * 31 + index(alphabet, substr(text, k, 1))) % 997
        return "hsl(" (h % 70) "," (65 + h % 20) "%," (62 + h % 13) "%)"
    }
    return "hsl(210,25%,75%)"
}

# Callers before callees, with a stack of our own: awk's recursion has an end, calls of compilers have not.
function draw(    top, path, x, depth, width, label, room, k, j, n, list, hold, where, level) {
    top = 1
    list[1] = "all"
    where[1] = level[1] = 0
    while (top > 0) {
        path = list[top]
        x = where[top]
        depth = level[top]
        top--
        width = cost[path] * scale
        if (width < 0.05) continue
        if (depth > deepest) deepest = depth
        label = names[path]
        sub(/^sysyc::/, "", label)
        room = int((width - 4) / 6.3)
        if (room < 3) label = ""
        else if (length(label) > room) label = substr(label, 1, room - 2) ".."
        printf "<g class=\"f\" data-x=\"%.0f\" data-w=\"%.0f\" data-d=\"%d\"><title>%s: %.0f, %.2f%%</title><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"15\" fill=\"%s\"/>",
            x, cost[path], depth, escape(names[path]), cost[path], cost[path] * 100 / total, x * scale, depth * 16 + 24, width, colour(names[path]) > body
        if (label != "") printf "<text x=\"%.1f\" y=\"%d\">%s</text>", x * scale + 2, depth * 16 + 35, escape(label) > body
        print "</g>" > body
        n = kids[path]
        for (k = 1; k <= n; k++) {
            hold = kid[path, k]
            for (j = k; j > 1 && cost[sorted[j - 1]] < cost[hold]; j--) sorted[j] = sorted[j - 1]
            sorted[j] = hold
        }
        # The largest is taken first.
        for (k = 1; k <= n; k++) {
            list[top + n + 1 - k] = sorted[k]
            where[top + n + 1 - k] = x
            level[top + n + 1 - k] = depth + 1
            x += cost[sorted[k]]
        }
        top += n
    }
}

BEGIN {
    alphabet = "abcdefghijklmnopqrstuvwxyz_0123456789:"
    pixels = 1400
}
{
    count = $NF
    text = $0
    sub(/ [0-9]+$/, "", text)
    # What starts a program or a thread is the same everywhere.
    if (match(text, /(^|;)sysyc::/)) {
        text = substr(text, RSTART)
        sub(/^;/, "", text)
    }
    n = split(text, frames, ";")
    path = "all"
    total += count
    for (k = 1; k <= n; k++) {
        parent = path
        path = path ";" frames[k]
        if (!(path in cost)) {
            kid[parent, ++kids[parent]] = path
            names[path] = frames[k]
        }
        cost[path] += count
    }
}
END {
    if (total == 0) exit 1
    cost["all"] = total
    names["all"] = "all"
    scale = pixels / total
    # The height is known when all is drawn.
    "mktemp" | getline body
    draw()
    close(body)
    height = (deepest + 1) * 16 + 32
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", pixels, height, pixels, height
    print "<style>text, input { font: 11px monospace; } rect { stroke: #fff; stroke-width: .4; } .f { cursor: pointer; }"
    print ".f:hover rect { stroke: #000; } .outside { opacity: .5; } .found rect { fill: #b45cff; } #all-of-it { cursor: pointer; }</style>"
    printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/><text x=\"4\" y=\"15\">%s</text>\n", pixels, height, escape(title)
    printf "<text id=\"share\" x=\"%d\" y=\"15\" text-anchor=\"end\"></text>\n", pixels - 340
    printf "<text id=\"all-of-it\" x=\"%d\" y=\"15\" text-anchor=\"end\" visibility=\"hidden\">whole picture</text>\n", pixels - 240
    printf "<foreignObject x=\"%d\" y=\"1\" width=\"230\" height=\"22\">", pixels - 232
    print "<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"search\" type=\"search\" size=\"32\" placeholder=\"search ( / )\"/></foreignObject>"
    while ((getline line < body) > 0) print line
    system("rm -f '" body "'")
    print "<script><![CDATA["
    while ((getline line < script) > 0) print line
    print "]]></script>"
    print "</svg>"
}
