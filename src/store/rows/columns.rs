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
                $crate::store::rows::query(db, &sql, parameters, Self::read)
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

/// A row that carries a digest of its columns, and is counted. `name` is what people call it. Columns before the
/// semicolon never change.
macro_rules! checked_row {
    ($(#[$doc:meta])* $row:ident in $table:literal, $name:literal:
        $($(#[$fixed_doc:meta])* $fixed:ident: $fixed_type:ty),*;
        $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(in crate::store) struct $row {
            /// Its number. [`Self::insert`] chooses it.
            pub seq: i64,
            $($(#[$fixed_doc])* pub $fixed: $fixed_type,)*
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $row {
            fn digest(&self) -> Result<$crate::store::row_digest::Digest, $crate::store::StoreError> {
                let hasher = $crate::store::row_digest::RowHasher::of($table).int(self.seq);
                $(let hasher = hasher.column(&self.$fixed)?;)*
                $(let hasher = hasher.column(&self.$field)?;)*
                Ok(hasher.done())
            }

            /// Reads a row of `SELECT *`.
            pub(in crate::store) fn read(row: &rusqlite::Row<'_>) -> Result<Self, $crate::store::StoreError> {
                let mut at = 0..;
                let mut next = || at.next().unwrap_or_default();
                let read = Self {
                    seq: row.get(next())?,
                    $($fixed: row.get(next())?,)*
                    $($field: row.get(next())?,)*
                };
                if row.get::<_, $crate::store::row_digest::Digest>(next())? == read.digest()? {
                    return Ok(read);
                }
                $crate::store::rows::damaged(format!("{} number {} is not as it was written", $name, read.seq))
            }

            /// Reads all rows of a query that ends with `rest`.
            pub(in crate::store) fn select(
                db: &rusqlite::Connection,
                rest: &str,
                parameters: impl rusqlite::Params,
            ) -> Result<Vec<Self>, $crate::store::StoreError> {
                let sql = format!("SELECT * FROM {} {rest}", $table);
                $crate::store::rows::query(db, &sql, parameters, Self::read)
            }

            pub(in crate::store) fn insert(
                &mut self,
                db: &rusqlite::Connection,
            ) -> Result<(), $crate::store::StoreError> {
                self.seq = db
                    .prepare_cached(concat!("SELECT coalesce(max(seq), 0) + 1 FROM ", $table))?
                    .query_row([], |row| row.get(0))?;
                let sql = concat!(
                    "INSERT INTO ", $table, " (seq, ", $(stringify!($fixed), ", ",)* $(stringify!($field), ", ",)*
                    "digest) VALUES (:seq, ", $(":", stringify!($fixed), ", ",)* $(":", stringify!($field), ", ",)*
                    ":digest)"
                );
                let digest = self.digest()?;
                db.prepare_cached(sql)?
                    .execute(rusqlite::params![self.seq, $(self.$fixed,)* $(self.$field,)* digest])?;
                $crate::store::tally::tally(db, $table, 1)
            }

            pub(in crate::store) fn update(&self, db: &rusqlite::Connection) -> Result<(), $crate::store::StoreError> {
                let sql = concat!(
                    "UPDATE ", $table, " SET ", $(stringify!($field), " = :", stringify!($field), ", ",)*
                    "digest = :digest WHERE seq = :seq"
                );
                let digest = self.digest()?;
                db.prepare_cached(sql)?.execute(rusqlite::params![$(self.$field,)* digest, self.seq])?;
                Ok(())
            }
        }
    };
}

pub(in crate::store) use {checked_row, row};
