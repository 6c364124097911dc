//! The bucket, read only. A file that an import added to the lake is in the catalog with its whole address,
//! which datafusion-ducklake takes for a path within the bucket: here the bucket's part is removed again.

use std::{fmt, ops::Range, sync::Arc};

use async_trait::async_trait;
use futures::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use prost::bytes::Bytes;

#[derive(Debug)]
pub struct Files {
    pub bucket: String,
    pub store: Arc<dyn ObjectStore>,
}

impl Files {
    fn within(&self, path: &Path) -> Result<Path> {
        // A path has no empty parts, hence a single slash.
        let address = format!("s3:/{}/", self.bucket);
        Ok(match path.as_ref().strip_prefix(&address) {
            Some(rest) => Path::parse(rest)?,
            None => path.clone(),
        })
    }
}

fn refused<T>() -> Result<T> {
    Err(Error::NotSupported { source: "the lake is only read".into() })
}

impl fmt::Display for Files {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}", self.store)
    }
}

#[async_trait]
impl ObjectStore for Files {
    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.store.get_opts(&self.within(path)?, options).await
    }

    async fn get_ranges(&self, path: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.store.get_ranges(&self.within(path)?, ranges).await
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        refused()
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        refused()
    }

    fn delete_stream(&self, _: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        Box::pin(futures::stream::iter([refused()]))
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        refused()
    }
}
