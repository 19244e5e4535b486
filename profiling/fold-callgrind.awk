# From callgrind's file to folded stacks: a line a stack, outermost function first, and its instructions.
#
# The file knows which function calls which at what cost, but no stacks: what a function spends is divided among its callers as the calls'
# costs are. A call back into the stack is where a branch ends; branches under a 3000th of all are cut, into their caller.

function number(text,    at) {
    at = index(text, ")")
    if (length(text) > at + 1) {
        names[substr(text, 2, at - 2)] = substr(text, at + 2)
    }
    return substr(text, 2, at - 2)
}

function expand(f, cost, path,    share, own, k, callee, part) {
    share = cost / inclusive[f]
    own = self[f] * share
    path = (path == "" ? "" : path ";") label(f)
    on[f] = 1
    for (k = 1; k <= calls[f]; k++) {
        callee = call[f, k]
        part = edge[f, callee] * share
        if (on[callee] || part < least || inclusive[callee] <= 0) own += part
        else expand(callee, part, path)
    }
    on[f] = 0
    if (own >= 1) printf "%s %.0f\n", path, own
}

function label(f,    text) {
    text = names[f]
    gsub(/;/, ",", text)
    return text
}

/^fn=/ { current = number(substr($0, 4)); known[current] = 1; next }
/^cfn=/ { callee = number(substr($0, 5)); next }
/^calls=/ { is_call = 1; next }
/^[0-9+*-]/ {
    if (!is_call) {
        self[current] += $2
        total += $2
    } else {
        is_call = 0
        if (callee != current) {
            if (!((current, callee) in edge)) call[current, ++calls[current]] = callee
            edge[current, callee] += $2
            called[callee] += $2
        }
    }
}
END {
    least = total / 3000
    for (f in known) {
        inclusive[f] = self[f]
        for (k = 1; k <= calls[f]; k++) inclusive[f] += edge[f, call[f, k]]
    }
    for (f in known) {
        if (!(f in called) && inclusive[f] >= least) expand(f, inclusive[f], "")
    }
}
