# From folded stacks to an SVG: a row a depth, the outermost function on top, widths by cost; the cursor on a box tells the
# whole name and the cost. `-v title=TEXT` says what is seen. Boxes under half a pixel are left out.

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

function draw(path, name, x, depth,    k, j, n, list, width, label, room, hold) {
    width = cost[path] * scale
    if (width < 0.5) return
    if (depth > deepest) deepest = depth
    label = name
    sub(/^sysyc::/, "", label)
    room = int((width - 4) / 6.3)
    if (room < 3) label = ""
    else if (length(label) > room) label = substr(label, 1, room - 2) ".."
    printf "<g><title>%s: %.0f, %.2f%%</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"15\" fill=\"%s\"/>",
        escape(name), cost[path], cost[path] * 100 / total, x, depth * 16 + 24, width, colour(name) > body
    if (label != "") printf "<text x=\"%.1f\" y=\"%d\">%s</text>", x + 2, depth * 16 + 35, escape(label) > body
    print "</g>" > body
    n = kids[path]
    for (k = 1; k <= n; k++) {
        hold = kid[path, k]
        for (j = k; j > 1 && cost[list[j - 1]] < cost[hold]; j--) list[j] = list[j - 1]
        list[j] = hold
    }
    for (k = 1; k <= n; k++) {
        draw(list[k], names[list[k]], x, depth + 1)
        x += cost[list[k]] * scale
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
    scale = pixels / total
    # The height is known when all is drawn.
    "mktemp" | getline body
    draw("all", "all", 0, 0)
    close(body)
    height = (deepest + 1) * 16 + 32
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", pixels, height, pixels, height
    print "<style>text { font: 11px monospace; } rect { stroke: #fff; stroke-width: .4; } g:hover rect { stroke: #000; }</style>"
    printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/><text x=\"4\" y=\"15\">%s</text>\n", pixels, height, escape(title)
    while ((getline line < body) > 0) print line
    system("rm -f '" body "'")
    print "</svg>"
}
