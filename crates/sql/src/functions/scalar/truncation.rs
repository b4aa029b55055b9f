//! trunc and date_trunc: dates and moments cut to a unit.

use crate::functions::coercion::In;
use crate::functions::datetime::calendar::{civil_from_days, days_from_civil, iso_day_of_week};
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{FunctionEntry, Nulls, Ret};
use crate::functions::typed::{Day, Memo, Moment, Text, plain, two};
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::columns("trunc", 2, 2, &[In::Date, In::Str], Ret::Is(T::Date), Nulls::StrictNullable, |c| {
        let units = Memo::default();
        two::<Day, Text, Day>(c, &|days, unit| {
            let unit = units.get(unit, |unit| Ok(CalendarUnit::of(unit)))?;
            Ok(unit.map(|unit| unit.first_day(days.into()) as i32))
        })
    }),
    FunctionEntry::columns("date_trunc", 2, 2, &[In::Str, In::Ts], Ret::Is(T::Ts), Nulls::StrictNullable, |c| {
        let (units, zone) = (Memo::default(), c.zone());
        if let Some(unit) = c.constant::<Text>(0).and_then(TruncUnit::of) {
            return plain(&c.same(1)?, c.result, &|us| unit.truncate(us, zone));
        }
        two::<Text, Moment, Moment>(c, &|unit, us| {
            let unit = units.get(unit, |unit| Ok(TruncUnit::of(unit)))?;
            Ok(unit.map(|unit| unit.truncate(us, zone)))
        })
    }),
];

/// A unit that moments are cut to.
#[derive(Clone, Copy)]
enum TruncUnit {
    /// Microseconds, counted from the epoch.
    Below(i64),
    /// Microseconds, counted from midnight of the zone.
    InDay(i64),
    Day,
    Calendar(CalendarUnit),
}

/// Units of whole days.
#[derive(Clone, Copy)]
enum CalendarUnit {
    Week,
    Month,
    Quarter,
    Year,
}

impl CalendarUnit {
    fn of(name: &str) -> Option<Self> {
        Some(match name.to_uppercase().as_str() {
            "WEEK" => Self::Week,
            "MON" | "MONTH" | "MM" => Self::Month,
            "QUARTER" => Self::Quarter,
            "YEAR" | "YYYY" | "YY" => Self::Year,
            _ => return None,
        })
    }

    /// The first day of the unit that a day is in.
    fn first_day(self, days: i64) -> i64 {
        let (y, m, _) = civil_from_days(days);
        match self {
            Self::Week => days - (iso_day_of_week(days) - 1),
            Self::Month => days_from_civil(y, m, 1),
            Self::Quarter => days_from_civil(y, (m - 1) / 3 * 3 + 1, 1),
            Self::Year => days_from_civil(y, 1, 1),
        }
    }
}

impl TruncUnit {
    /// A unit's name, in any case.
    fn of(name: &str) -> Option<Self> {
        Some(match name.to_uppercase().as_str() {
            "MICROSECOND" => Self::Below(1),
            "MILLISECOND" => Self::Below(1000),
            "SECOND" => Self::Below(MICROS_PER_SECOND),
            "MINUTE" => Self::InDay(60 * MICROS_PER_SECOND),
            "HOUR" => Self::InDay(3600 * MICROS_PER_SECOND),
            "DAY" | "DD" => Self::Day,
            other => Self::Calendar(CalendarUnit::of(other)?),
        })
    }

    /// DateTimeUtils.truncTimestamp.
    fn truncate(self, micros: i64, zone: &Zone) -> i64 {
        match self {
            Self::Below(step) => micros - micros.rem_euclid(step),
            // Below a day the offset in force is kept, also across a change of it.
            Self::InDay(step) => {
                let offset = zone.offset_at(micros) * MICROS_PER_SECOND;
                let local = micros + offset;
                local - local.rem_euclid(step) - offset
            }
            Self::Day => {
                let local = zone.to_local(micros);
                zone.to_utc(local - local.rem_euclid(MICROS_PER_DAY))
            }
            Self::Calendar(unit) => {
                let day = zone.to_local(micros).div_euclid(MICROS_PER_DAY);
                zone.to_utc(unit.first_day(day) * MICROS_PER_DAY)
            }
        }
    }
}
