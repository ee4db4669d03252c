//! Tables whose columns are listed once: what reads them and what writes them is made from the list.

/// A row of a projection.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident in $table:literal: $first:ident: $first_type:ty, $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub(in crate::store) struct $name {
            pub $first: $first_type,
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            /// Its columns, as SQL.
            pub(in crate::store) const COLUMNS: &str = concat!(stringify!($first), $(", ", stringify!($field)),*);

            /// Reads a row of these columns.
            pub(in crate::store) fn read(row: &rusqlite::Row<'_>) -> Result<Self, $crate::store::StoreError> {
                let mut at = 0..;
                let mut next = || at.next().unwrap_or_default();
                Ok(Self { $first: row.get(next())?, $($field: row.get(next())?,)* })
            }

            /// Reads all rows that `rest` of a query finds.
            pub(in crate::store) fn select(
                db: &rusqlite::Connection,
                rest: &str,
                parameters: impl rusqlite::Params,
            ) -> Result<Vec<Self>, $crate::store::StoreError> {
                let mut found = db.prepare_cached(&format!("SELECT {} FROM {} {rest}", Self::COLUMNS, $table))?;
                let mut rows = found.query(parameters)?;
                let mut all = Vec::new();
                while let Some(row) = rows.next()? {
                    all.push(Self::read(row)?);
                }
                Ok(all)
            }

            /// Puts the row in.
            pub(in crate::store) fn put(&self, db: &rusqlite::Connection) -> Result<(), $crate::store::StoreError> {
                let sql = concat!(
                    "INSERT INTO ", $table, " (", stringify!($first), $(", ", stringify!($field)),*,
                    ") VALUES (:", stringify!($first), $(", :", stringify!($field)),*, ")"
                );
                db.prepare_cached(sql)?.execute(rusqlite::params![self.$first, $(self.$field),*])?;
                Ok(())
            }
        }
    };
}

pub(in crate::store) use row;
