//! Tables whose columns are listed once: the code that reads and writes them is generated from the list.

/// A row of a projection.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident in $table:literal: $first:ident: $first_type:ty, $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            pub $first: $first_type,
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            /// The column list for SQL.
            pub const COLUMNS: &str = concat!(stringify!($first), $(", ", stringify!($field)),*);

            /// Reads a row with these columns.
            pub fn read(row: &rusqlite::Row<'_>) -> Result<Self, $crate::engine::store::StoreError> {
                let mut at = 0..;
                let mut next = || at.next().unwrap_or_default();
                Ok(Self { $first: row.get(next())?, $($field: row.get(next())?,)* })
            }

            /// Reads all rows of a query that ends with `rest`.
            pub fn select(
                db: &rusqlite::Connection,
                rest: &str,
                parameters: impl rusqlite::Params,
            ) -> Result<Vec<Self>, $crate::engine::store::StoreError> {
                let sql = format!("SELECT {} FROM {} {rest}", Self::COLUMNS, $table);
                $crate::engine::store::rows::query(db, &sql, parameters, Self::read)
            }

            /// Inserts the row.
            pub fn put(&self, db: &rusqlite::Connection) -> Result<(), $crate::engine::store::StoreError> {
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

/// A row outside the log. Columns before the semicolon never change.
macro_rules! side_row {
    ($(#[$doc:meta])* $row:ident in $table:literal:
        $($(#[$fixed_doc:meta])* $fixed:ident: $fixed_type:ty),*;
        $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $row {
            /// Its number. [`Self::insert`] chooses it.
            pub seq: i64,
            $($(#[$fixed_doc])* pub $fixed: $fixed_type,)*
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $row {
            /// Reads a row of `SELECT *`.
            pub fn read(row: &rusqlite::Row<'_>) -> Result<Self, $crate::engine::store::StoreError> {
                let mut at = 0..;
                let mut next = || at.next().unwrap_or_default();
                Ok(Self {
                    seq: row.get(next())?,
                    $($fixed: row.get(next())?,)*
                    $($field: row.get(next())?,)*
                })
            }

            /// Reads all rows of a query that ends with `rest`.
            pub fn select(
                db: &rusqlite::Connection,
                rest: &str,
                parameters: impl rusqlite::Params,
            ) -> Result<Vec<Self>, $crate::engine::store::StoreError> {
                let sql = format!("SELECT * FROM {} {rest}", $table);
                $crate::engine::store::rows::query(db, &sql, parameters, Self::read)
            }

            pub fn insert(
                &mut self,
                db: &rusqlite::Connection,
            ) -> Result<(), $crate::engine::store::StoreError> {
                let columns = concat!($(", ", stringify!($fixed),)* $(", ", stringify!($field)),*);
                let values = concat!($(", :", stringify!($fixed),)* $(", :", stringify!($field)),*);
                let sql = format!("INSERT INTO {} (seq{columns}) VALUES (NULL{values})", $table);
                db.prepare_cached(&sql)?.execute(rusqlite::params![$(self.$fixed,)* $(self.$field,)*])?;
                self.seq = db.last_insert_rowid();
                Ok(())
            }

            pub fn update(&self, db: &rusqlite::Connection) -> Result<(), $crate::engine::store::StoreError> {
                let columns = [$(concat!(stringify!($field), " = :", stringify!($field))),*].join(", ");
                let sql = format!("UPDATE {} SET {columns} WHERE seq = :seq", $table);
                db.prepare_cached(&sql)?.execute(rusqlite::params![$(self.$field,)* self.seq])?;
                Ok(())
            }
        }
    };
}

pub(crate) use {row, side_row};
