//! Tables whose columns are listed once: the code that reads and writes them is generated from the list.

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
            /// The column list for SQL.
            pub(in crate::store) const COLUMNS: &str = concat!(stringify!($first), $(", ", stringify!($field)),*);

            /// Reads a row with these columns.
            pub(in crate::store) fn read(row: &rusqlite::Row<'_>) -> Result<Self, $crate::store::StoreError> {
                let mut at = 0..;
                let mut next = || at.next().unwrap_or_default();
                Ok(Self { $first: row.get(next())?, $($field: row.get(next())?,)* })
            }

            /// Reads all rows of a query that ends with `rest`.
            pub(in crate::store) fn select(
                db: &rusqlite::Connection,
                rest: &str,
                parameters: impl rusqlite::Params,
            ) -> Result<Vec<Self>, $crate::store::StoreError> {
                let sql = format!("SELECT {} FROM {} {rest}", Self::COLUMNS, $table);
                let mut statement = db.prepare_cached(&sql)?;
                let mut rows = statement.query(parameters)?;
                let mut all = Vec::new();
                while let Some(row) = rows.next()? {
                    all.push(Self::read(row)?);
                }
                Ok(all)
            }

            /// Inserts the row.
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
