# The peak of massif's file: bytes by the function of ours that asked for them, then the tree of calls.
# Frames of the standard library, of crates and of `base/` are left out: what they allocate is for their caller.

function ours(text) { return text ~ /^<?sysyc::/ && text !~ /^sysyc::base::/ }

/^#-----/ { next }
/^mem_heap_B=/ { bytes = substr($0, 12) + 0; next }
/^heap_tree=/ { peak = ($0 == "heap_tree=peak"); if (peak) { total = bytes; rows = 0 } next }
!peak || !/^ *n[0-9]+: / { next }
{
    match($0, /^ */)
    depth[++rows] = RLENGTH
    text = substr($0, RLENGTH + 1)
    sub(/^n[0-9]+: /, "", text)
    size[rows] = text + 0
    sub(/^[0-9]+ /, "", text)
    sub(/^0x[0-9A-Fa-f]+: /, "", text)
    name[rows] = text
}
END {
    if (rows == 0) { print "heap: no peak in this file" > "/dev/stderr"; exit 1 }
    printf "peak: %.0f bytes in blocks\n\n%14s %7s  asked for by\n", total, "bytes", "share"
    # A row counts where no frame between it and the allocation was ours. The root is the allocation itself.
    for (k = 2; k <= rows; k++) {
        while (top > 0 && stack[top] >= depth[k]) top--
        if (top > 0) continue
        if (ours(name[k])) {
            stack[++top] = depth[k]
            function_name = name[k]
            sub(/ \([^()]*\)$/, "", function_name)
            sum[function_name] += size[k]
            found += size[k]
        }
    }
    while (1) {
        best = ""
        for (f in sum) if (best == "" || sum[f] > sum[best]) best = f
        if (best == "" || sum[best] * 200 < total) break
        printf "%14.0f %6.1f%%  %s\n", sum[best], sum[best] * 100 / total, best
        delete sum[best]
    }
    printf "%14.0f %6.1f%%  smaller ones, and what is not ours\n", total - found, (total - found) * 100 / total
    # Callers stand beneath in massif's file: turned round, all from main, and branches of the same functions made one.
    for (k = rows; k >= 2; k--) {
        own[k] += size[k]
        for (j = k - 1; j >= 2 && depth[j] >= depth[k]; j--) { }
        if (j >= 2) own[j] -= size[k]
        parent[k] = j
    }
    for (k = 2; k <= rows; k++) {
        if (own[k] <= 0) continue
        path = ""
        for (j = k; j >= 2; j = parent[j]) {
            if (!ours(name[j])) continue
            text = name[j]
            sub(/ \([^()]*\)$/, "", text)
            path = path SUBSEP text
            if (!(path in tree)) kid[substr(path, 1, length(path) - length(text) - 1), ++kids[substr(path, 1, length(path) - length(text) - 1)]] = path
            tree[path] += own[k]
            label[path] = text
        }
    }
    print "\nthe tree, from the outside to the code that asked:"
    show("", "")
}

function show(path, indent,    k, j, n, list, hold) {
    n = kids[path]
    for (k = 1; k <= n; k++) {
        hold = kid[path, k]
        for (j = k; j > 1 && tree[list[j - 1]] < tree[hold]; j--) list[j] = list[j - 1]
        list[j] = hold
    }
    for (k = 1; k <= n; k++) {
        if (tree[list[k]] * 100 < total) continue
        printf "%14.0f %6.1f%%  %s%s\n", tree[list[k]], tree[list[k]] * 100 / total, indent, label[list[k]]
        show(list[k], indent " ")
    }
}
