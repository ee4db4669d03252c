//! Reads lines and counted bytes from a connection, each with a limit and a deadline.

use super::{NetError, Stream, Timeouts, connect, place, plain, secure};
use crate::config::MailServer;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

#[derive(Debug, thiserror::Error)]
pub(in crate::mail) enum LineError {
    #[error(transparent)]
    Net(#[from] NetError),
    #[error("the server sent more than was asked for")]
    Long,
}

/// A connection to a server.
pub(in crate::mail) struct Wire {
    /// `None` if encrypting it failed.
    stream: Option<BufReader<Box<dyn Stream>>>,
    server: MailServer,
    patience: Timeouts,
}

impl Wire {
    /// An unencrypted connection: nothing confidential goes over it before [`Wire::secure`].
    pub(in crate::mail) async fn clear(server: &MailServer, patience: &Timeouts) -> Result<Self, NetError> {
        let stream: Box<dyn Stream> = Box::new(connect(server, patience).await?);
        Ok(Self { stream: Some(BufReader::new(stream)), server: server.clone(), patience: *patience })
    }

    /// A connection that is encrypted from the first byte.
    pub(in crate::mail) async fn safe(server: &MailServer, patience: &Timeouts) -> Result<Self, NetError> {
        let mut wire = Self::clear(server, patience).await?;
        wire.secure().await?;
        Ok(wire)
    }

    /// Encrypts the connection. Data that arrived before that, unasked, is an attack.
    pub(in crate::mail) async fn secure(&mut self) -> Result<(), NetError> {
        let stream = self.stream.take().ok_or_else(|| cut(&self.server, "it is closed"))?;
        if !stream.buffer().is_empty() {
            return Err(NetError::Injected { place: place(&self.server) });
        }
        let stream = secure(&self.server, stream.into_inner(), &self.patience).await?;
        self.stream = Some(BufReader::new(stream));
        Ok(())
    }

    /// From now on, answers may take as long as a server needs to check a whole mail.
    pub(in crate::mail) fn use_delivery_timeout(&mut self) {
        self.patience.answer = self.patience.verdict;
    }

    /// Writes and flushes.
    pub(in crate::mail) async fn write(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        let stream = self.stream.as_mut().ok_or_else(|| cut(&self.server, "it is closed"))?;
        let written = async {
            stream.write_all(bytes).await?;
            stream.flush().await
        };
        within(&self.server, self.patience.answer, written).await
    }

    /// Returns when there is something to read. Dropping it loses nothing.
    pub(in crate::mail) async fn readable(&mut self) -> Result<(), NetError> {
        let stream = self.stream.as_mut().ok_or_else(|| cut(&self.server, "it is closed"))?;
        let nothing = stream.fill_buf().await.map_err(|error| cut(&self.server, &plain(&error)))?.is_empty();
        if nothing { Err(cut(&self.server, "the server hung up")) } else { Ok(()) }
    }

    /// Whether there is something to read, or the server hung up. Does not wait.
    pub(in crate::mail) async fn has_news(&mut self) -> bool {
        tokio::time::timeout(Duration::ZERO, self.readable()).await.is_ok()
    }

    /// Reads a line of at most `most` bytes.
    pub(in crate::mail) async fn line(&mut self, most: usize) -> Result<Vec<u8>, LineError> {
        let stream = self.stream.as_mut().ok_or_else(|| cut(&self.server, "it is closed"))?;
        let mut line = Vec::new();
        let mut stream = stream.take(most as u64 + 1);
        within(&self.server, self.patience.answer, stream.read_until(b'\n', &mut line)).await?;
        match line.pop() {
            Some(b'\n') => {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                Ok(line)
            }
            Some(_) if line.len() >= most => Err(LineError::Long),
            _ => Err(cut(&self.server, "the server hung up").into()),
        }
    }

    /// Reads exactly `many` bytes; the caller has checked the number. Memory grows as they arrive: a server that
    /// announces much and sends little costs little.
    pub(in crate::mail) async fn bytes(&mut self, many: usize) -> Result<Vec<u8>, LineError> {
        let stream = self.stream.as_mut().ok_or_else(|| cut(&self.server, "it is closed"))?;
        let mut bytes = Vec::new();
        while bytes.len() < many {
            let piece = (many - bytes.len()).min(256 << 10);
            let mut stream = (&mut *stream).take(piece as u64);
            if within(&self.server, self.patience.answer, stream.read_to_end(&mut bytes)).await? < piece {
                return Err(cut(&self.server, "the server hung up").into());
            }
        }
        Ok(bytes)
    }
}

fn cut(server: &MailServer, why: &str) -> NetError {
    NetError::Cut { place: place(server), why: why.to_owned() }
}

async fn within<T>(
    server: &MailServer,
    patience: Duration,
    work: impl Future<Output = io::Result<T>>,
) -> Result<T, NetError> {
    match tokio::time::timeout(patience, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(cut(server, &plain(&error))),
        Err(_) => Err(NetError::Slow { place: place(server), seconds: patience.as_secs() }),
    }
}
