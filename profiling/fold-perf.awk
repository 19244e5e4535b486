# From `perf script -F comm,ip,sym` to folded stacks: a line a stack, outermost function first, and how often it was seen.
# The shell that starts the compiler is left out.

function flush(    k, path) {
    if (depth > 0 && command != "bash") {
        path = name[depth]
        for (k = depth - 1; k >= 1; k--) path = path ";" name[k]
        seen[path]++
    }
    depth = 0
}

/^[ \t]*$/ { flush(); next }
/^[^ \t]/ { flush(); command = $1; next }
{
    text = $0
    sub(/^[ \t]*[0-9a-f]+[ \t]*/, "", text)
    sub(/::h[0-9a-f]+$/, "", text)
    gsub(/;/, ",", text)
    if (text == "[unknown]" || text == "") next
    name[++depth] = text
}
END {
    flush()
    for (path in seen) print path, seen[path]
}
