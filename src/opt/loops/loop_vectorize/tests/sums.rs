//! Sums in lanes: of integers, of floats in order and in any order, and of what is chosen.

use super::*;

#[test]
fn of_two_sums_what_is_added_is_chosen() {
    let of = |yes: &str, no: &str| {
        let round =
            format!("%g = icmp slt i32 %u, %i\n %x = {yes}\n %z = {no}\n %y = select i1 %g, i32 %x, i32 %z");
        let main = fires(&text("%n", &format!("%v = load i32, ptr %q\n {round}{ON}"), "%y"));
        let choice = main.lines().find(|line| line.contains("= select <4 x i1>")).unwrap().trim();
        let made = choice.split_once(' ').unwrap().0;
        // Whether the choice is a summand, and how many differences there are.
        (
            main.lines().any(|line| line.contains(&format!(", {made}"))),
            main.matches("= sub <4 x i32>").count(),
        )
    };
    // What was computed for the choice stays here, and is not needed any more.
    let (plus, minus) = ("add i32 %s, %u", "sub i32 %s, %n");
    assert_eq!(of(plus, "add i32 %s, %n"), (true, 0));
    assert_eq!(of(plus, "add i32 %v, %s"), (true, 0));
    assert_eq!(of("add i32 %u, %s", minus), (true, 1));
    assert_eq!(of(plus, "sub i32 %s, %v"), (true, 2));
    assert_eq!(of(minus, plus), (true, 3));
    assert_eq!(of("sub i32 %s, %u", "sub i32 %s, %v"), (true, 3));
    // Nothing in common, and a sum that something else needs, too.
    let stored = |round: &str| {
        let main = fires(&text("%n", &format!("%v = load i32, ptr %q\n {round}{ON}"), "%i"));
        main.matches("= add <4 x i32>").count()
    };
    let apart = "%g = icmp slt i32 %u, %i\n %x = add i32 %u, %n\n %z = add i32 %v, %i\n \
                 %y = select i1 %g, i32 %x, i32 %z\n store i32 %y, ptr %q";
    let counts = stored(apart);
    let one = apart.replace("%v, %i\n", "%v, %n\n");
    assert_eq!(stored(&one), counts + 1);
    assert_eq!(stored(&format!("{one}\n store i32 %x, ptr %p")), counts);
}

#[test]
fn sums_are_made_in_lanes_and_put_together() {
    for (round, next) in [
        ("%y = add i32 %s, %u", "%y"),
        ("%y = sub i32 %s, %u", "%y"),
        ("%y = mul i32 %s, %u", "%y"),
        ("%y = and i32 %s, %u", "%y"),
        ("%y = or i32 %u, %s", "%y"),
        ("%v = load i32, ptr %q\n %z = xor i32 %s, %u\n %y = xor i32 %z, %v", "%y"),
        ("%g = icmp sgt i32 %u, %s\n %y = select i1 %g, i32 %u, i32 %s", "%y"),
        ("%g = icmp ult i32 %s, %u\n %y = select i1 %g, i32 %s, i32 %u", "%y"),
        ("%g = icmp slt i32 %u, 0\n %z = add i32 %s, %u\n %y = select i1 %g, i32 %z, i32 %s", "%y"),
        ("%g = icmp eq i32 %u, 0\n %z = add i32 %s, 1\n %y = select i1 %g, i32 %s, i32 %z", "%y"),
    ] {
        for bound in ["%n", "24", "50"] {
            let main = fires(&text(bound, &format!("{round}{ON}"), next));
            assert!(main.contains("vector.reduce."), "{main}");
        }
    }
}

#[test]
fn floats_are_summed_up_in_order() {
    let of = |round: &str| {
        let text = text("%n", &format!("%f = load float, ptr %r\n {round}{ON}"), "%y");
        let text = text.replace("%s = phi i32 [ 5,", "%s = phi float [ 0.5,");
        text.replace("%t = call i32 @sum(i32 %y)", "%z = fptosi float %y to i32\n %t = call i32 @sum(i32 %z)")
    };
    for round in [
        "%m = fmul float %f, 0.001953125\n %y = fadd float %s, %m",
        "%m = fmul float %f, 0.001953125\n %y = fadd float %m, %s",
        "%m = fdiv float %f, 1000.0\n %y = fsub float %s, %m",
    ] {
        let main = fires(&of(round));
        assert!(main.contains("vector.reduce.fadd"), "{main}");
    }
    for round in [
        "%y = fadd float %s, %f",
        "%m = fmul float %f, 0.001953125\n %y = fsub float %m, %s",
        "%m = fmul float %f, %s\n %y = fadd float %s, %m",
        "%m = fmul float %f, 0.5\n %y = fadd float %s, %m\n store float %y, ptr %r",
    ] {
        assert_eq!(made(&of(round)), None, "{round}");
    }
}

#[test]
fn sums_of_floats_in_order_are_the_lanes_of_a_vector_where_there_are_several() {
    let of = |count: usize, op: &dyn Fn(usize) -> &'static str| {
        let (mut phis, mut round, mut behind) = (String::new(), String::new(), String::new());
        for k in 0..count {
            phis += &format!("%s{k} = phi float [ {k}.5, %entry ], [ %y{k}, %tail ]\n");
            round += &format!(
                "%m{k} = fmul float %f, 0x3F{k}99999A0000000\n %y{k} = {} float %s{k}, %m{k}\n",
                op(k)
            );
            behind += &format!("%g{k} = fptosi float %y{k} to i32\n %u{k} = call i32 @sum(i32 %g{k})\n");
        }
        let all = (1..count).fold("%u0".to_string(), |all, k| {
            behind += &format!("%x{k} = xor i32 {all}, %u{k}\n");
            format!("%x{k}")
        });
        let text = text("%n", &format!("%s = add i32 0, 0\n %f = load float, ptr %r\n {round}{ON}"), "%s");
        let text = text.replace("%s = phi i32 [ 5, %entry ], [ %s, %tail ]", &phis);
        let text = text.replace("%s = add i32 0, 0\n", "");
        text.replace("%t = call i32 @sum(i32 %s)", &format!("{behind} %t = add i32 {all}, 0"))
    };
    let (sums, differences) = (|_: usize| "fadd", |_: usize| "fsub");
    for (count, zips, single) in [(1, 0, 1), (2, 6, 0), (3, 8, 0), (4, 8, 0), (5, 8, 1), (6, 14, 0)] {
        for op in [&sums as &dyn Fn(usize) -> &'static str, &differences, &|k| ["fadd", "fsub"][k % 2]] {
            let main = fires(&of(count, op));
            assert_eq!(main.matches("@sysyc.zip").count(), zips, "{count}\n{main}");
            assert_eq!(main.matches("vector.reduce.fadd").count(), single, "{count}\n{main}");
        }
    }
    // Differences take no sign from what is taken.
    assert!(!fires(&of(4, &differences)).contains("fneg"));
    // Sums of what is loaded alone pay where there are three.
    let plain = |count: usize| {
        let text = of(count, &sums);
        (0..count).fold(text, |text, k| text.replace(&format!("%s{k}, %m{k}"), &format!("%s{k}, %f")))
    };
    assert_eq!(made(&plain(2)), None);
    assert!(fires(&plain(3)).contains("@sysyc.zip"));
    // A machine that sums up the lanes of one in order needs no others.
    assert!(!fires_for(more(), &of(4, &sums)).contains("@sysyc.zip"));
}

#[test]
fn rows_that_several_sums_have_for_a_factor_are_transposed_once() {
    // Eight sums: of the numbers from here on, four times one value, and four times another one.
    let of = |change: &dyn Fn(usize) -> Option<String>| {
        let (mut phis, mut round, mut behind) = (String::new(), String::new(), String::new());
        for k in 0..4 {
            round +=
                &format!("%w{k} = getelementptr float, ptr %r, i32 {k}\n %r{k} = load float, ptr %w{k}\n");
        }
        round += "%v = load i32, ptr %q\n %v1 = ashr i32 %v, 20\n %u1 = ashr i32 %u, 20\n";
        round += "%f0 = sitofp i32 %u1 to float\n %f1 = sitofp i32 %v1 to float\n";
        for k in 0..8 {
            phis += &format!("%s{k} = phi float [ {k}.5, %entry ], [ %y{k}, %tail ]\n");
            // In the second four in another order.
            let row = if k < 4 { k } else { 3 - k % 4 };
            let made = format!("%m{k} = fmul float %f{}, %r{row}\n %y{k} = fadd float %s{k}, %m{k}\n", k / 4);
            round += &change(k).unwrap_or(made);
            behind += &format!("%b{k} = bitcast float %y{k} to i32\n %t{k} = call i32 @sum(i32 %b{k})\n");
            behind += &match k {
                0 => "%x0 = add i32 %t0, 0\n".to_string(),
                _ => format!("%z{k} = mul i32 %x{}, 31\n %x{k} = xor i32 %z{k}, %t{k}\n", k - 1),
            };
        }
        let text = text("%n", &format!("%s = add i32 0, 0\n {round}{ON}"), "%s");
        let text = text.replace("%s = phi i32 [ 5, %entry ], [ %s, %tail ]", &phis);
        let text = text.replace("%s = add i32 0, 0\n", "");
        let main =
            fires(&text.replace("%t = call i32 @sum(i32 %s)", &format!("{behind} %t = add i32 %x7, 0")));
        ["@sysyc.zip", "= fmul <4 x float>"].map(|what| main.matches(what).count())
    };
    // The products that were there are not needed any more.
    assert_eq!(of(&|_| None), [8, 8 + 8]);
    let other = |made: &'static str| move |k: usize| (k == 6).then(|| made.to_string());
    assert_eq!(of(&other("%m6 = fmul float %f1, %f0\n %y6 = fadd float %s6, %m6\n")), [16, 8]);
    assert_eq!(of(&other("%m6 = fmul float %r1, %f1\n %y6 = fsub float %s6, %m6\n")), [16, 8]);
    assert_eq!(of(&other("%y6 = fadd float %s6, %r1\n")), [16, 7]);
}

#[test]
fn floats_whose_order_does_not_matter_are_sums_of_lanes() {
    let of = |round: &str| {
        let begin = "%g = sitofp i32 %i to float\n %h = and i32 %i, 1\n %z0 = icmp eq i32 %h, 0
                     %z = select i1 %z0, float 1.0, float -1.0\n";
        let text = text("%n", &format!("{begin} {round}{ON}"), "%y");
        let text = text.replace("%s = phi i32 [ 5,", "%s = phi float [ 0.5,");
        text.replace(
            "%t = call i32 @sum(i32 %y)",
            "%y2 = fmul float %y, 2.0\n %z2 = fptosi float %y2 to i32\n %t = call i32 @sum(i32 %z2)",
        )
    };
    for (round, is_sum) in [
        ("%y = fadd reassoc float %s, %g", true),
        ("%y0 = fsub reassoc nnan float %s, %g\n %y = fadd fast float %z, %y0", true),
        ("%y = fmul reassoc float %s, %z", false),
    ] {
        let main = fires(&of(round));
        assert_eq!(main.contains("vector.reduce.fadd.v4f32(float 0x3FE0000000000000"), is_sum, "{main}");
        assert_eq!(main.matches("extractelement").count(), if is_sum { 0 } else { 4 }, "{main}");
    }
    // One of them is in order; what is taken from is not what is summed up.
    for round in [
        "%y0 = fadd reassoc float %s, %g\n %y = fadd float %y0, %z",
        "%y = fmul nnan nsz arcp contract float %s, %z",
        "%y = fsub reassoc float %g, %s",
    ] {
        assert_eq!(made(&of(round)), None, "{round}");
    }
}
