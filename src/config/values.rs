//! What the keys of a section hold: `section!` declares them, and the types here check what is written.

use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::error::quoted;

/// Declares a section: one key a line, with its default. A key without one is empty, `None`, or its type's own default
/// unless it is written.
macro_rules! section {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty $(= $default:expr)?,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = "a section")]
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::config::values::section!(@default $($default)?),)* }
            }
        }

        impl $name {
            /// The names of its fields.
            #[allow(dead_code)]
            pub(in crate::config) const KEYS: &'static [&'static str] = &[$(stringify!($field)),*];
        }
    };
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
}
pub(super) use section;

/// A switch: `on` or `off`.
pub(super) fn switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase", expecting = "a string")]
    enum Switch {
        On,
        Off,
    }
    Ok(Switch::deserialize(deserializer)? == Switch::On)
}

/// A whole number from `LEAST` to `MOST`; a [`Duration`] is in seconds.
pub(super) struct Whole<const LEAST: i64, const MOST: i64>;

impl<const LEAST: i64, const MOST: i64> Whole<LEAST, MOST> {
    pub(super) fn deserialize<'de, D: Deserializer<'de>, T: FromWhole>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let number = i64::deserialize(deserializer)?;
        let value = T::from_whole(number).filter(|_| (LEAST..=MOST).contains(&number));
        value.ok_or_else(|| D::Error::custom(format!("must be from {LEAST} to {MOST}, not {number}")))
    }
}

/// What a whole number can become.
pub(super) trait FromWhole: Sized {
    fn from_whole(number: i64) -> Option<Self>;
}

macro_rules! from_whole {
    ($($type:ty),*) => {
        $(impl FromWhole for $type {
            fn from_whole(number: i64) -> Option<Self> {
                number.try_into().ok()
            }
        })*
    };
}
from_whole!(u16, u32, u64, usize);

impl FromWhole for Duration {
    fn from_whole(number: i64) -> Option<Self> {
        number.try_into().ok().map(Self::from_secs)
    }
}

impl<T: FromWhole> FromWhole for Option<T> {
    fn from_whole(number: i64) -> Option<Self> {
        T::from_whole(number).map(Some)
    }
}

/// A number from 0 to `MOST`, whole or not.
pub(super) struct Amount<const MOST: i64>;

impl<const MOST: i64> Amount<MOST> {
    pub(super) fn deserialize<'de, D: Deserializer<'de>, T: From<f64>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let number = f64::deserialize(deserializer)?;
        if (0.0..=MOST as f64).contains(&number) {
            return Ok(number.into());
        }
        Err(D::Error::custom(format!("must be from 0 to {MOST}, not {number}")))
    }
}

/// A bare address. What surely is none would make the user's own mail look like somebody else's.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Address(pub(super) String);

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ',' | ';');
        let is_whole = text
            .rsplit_once('@')
            .is_some_and(|(user, domain)| !user.is_empty() && !domain.is_empty() && !text.contains(is_odd));
        if is_whole {
            return Ok(Self(text));
        }
        Err(format!("must be a bare address such as ada@example.org, not {:?}", quoted(&text)))
    }
}

impl Address {
    pub(super) fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Ok(Self::deserialize(deserializer)?.0)
    }

    pub(super) fn many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
        Ok(Vec::<Self>::deserialize(deserializer)?.into_iter().map(|address| address.0).collect())
    }
}
