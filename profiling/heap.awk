# The peak of massif's file: bytes by the function of ours that asked for them, then the tree of callers.
# Frames of the standard library and of crates are left out: what they allocate is for their caller.

function ours(text) { return text ~ /sysyc::/ }

/^#-----/ { next }
/^mem_heap_B=/ { bytes = substr($0, 12); next }
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
    print "\nthe tree, callers below:"
    for (k = 2; k <= rows; k++) {
        if (size[k] * 100 < total || !(ours(name[k]) || name[k] ~ /^in [0-9]/)) continue
        indent = ""
        for (j = depth[k]; j > 1; j--) indent = indent " "
        printf "%14.0f %6.1f%%  %s%s\n", size[k], size[k] * 100 / total, indent, name[k]
    }
}
