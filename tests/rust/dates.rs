#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Date {
    year: i32,
    month: u8,
    day: u8,
}

impl Date {
    fn days(self) -> i64 {
        let y = if self.month <= 2 { self.year - 1 } else { self.year } as i64;
        let (era, month) = (y.div_euclid(400), self.month as i64);
        let year = y - era * 400;
        let day = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + self.day as i64 - 1;
        era * 146_097 + year * 365 + year / 4 - year / 100 + day - 719_468
    }
    fn from_days(days: i64) -> Option<Date> {
        let z = days.checked_add(719_468)?;
        let (era, day) = (z.div_euclid(146_097), z.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let of_year = day - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
        Some(Date { year: i32::try_from(year + era * 400 + (month <= 2) as i64).ok()?, month: month as u8, day: day as u8 })
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    for days in [0, -1, 19_723, 59, -719_468, 1_000_000, i64::MAX, 10_000_000_000_000] {
        match Date::from_days(hidden(days)) {
            Some(date) => {
                num(date.year as i64 * 10_000 + date.month as i64 * 100 + date.day as i64);
                num((date.days() == days) as i64);
            }
            None => num(-7),
        }
    }
    let (a, b) = (Date { year: hidden(2024), month: 2, day: 29 }, Date { year: 2024, month: hidden(10), day: 1 });
    num((a < b) as i64 + 2 * (a.max(b) == b) as i64);
    num(b.days() - a.days());
    line();
    0
}

