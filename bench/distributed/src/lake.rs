//! An organization's lake as a catalog of DataFusion: names are looked up in PostgreSQL, files read from S3.

use std::{env, sync::Arc};

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{CatalogProvider, SchemaProvider, Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Statistics, plan_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::{Expr, LogicalPlan, TableProviderFilterPushDown, TableSource, TableType};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_ducklake::{DuckLakeCatalog, MetadataProvider, PostgresMetadataProvider};
use datafusion_proto::bytes::Serializeable;
use object_store::{ObjectStore, aws::AmazonS3Builder};
use url::Url;

use crate::files::Files;
use crate::scan::{LakeScan, Recipe};

#[derive(Debug)]
pub struct Lake {
    metadata: Arc<dyn MetadataProvider>,
    bucket: Url,
    store: Arc<dyn ObjectStore>,
}

pub fn external(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DataFusionError {
    DataFusionError::External(error.into())
}

pub fn setting(name: &str) -> Result<String> {
    env::var(name).map_err(|_| DataFusionError::Configuration(format!("{name} is not set")))
}

impl Lake {
    pub async fn from_environment() -> Result<Arc<Lake>> {
        let mut catalog = Url::parse(&setting("LAKE_CATALOG_URL")?).map_err(external)?;
        // The tables of each organization's catalog are in a schema of their own.
        let search_path = setting("LAKE_METADATA_SCHEMA")?;
        catalog.query_pairs_mut().append_pair("options[search_path]", &search_path);
        let metadata = PostgresMetadataProvider::new(catalog.as_str()).await.map_err(external)?;
        let bucket = setting("S3_BUCKET")?;
        let mut store = AmazonS3Builder::new()
            .with_bucket_name(&bucket)
            .with_region(setting("S3_REGION")?)
            .with_access_key_id(setting("S3_ACCESS_KEY_ID")?)
            .with_secret_access_key(setting("S3_SECRET_ACCESS_KEY")?);
        if let Ok(token) = env::var("S3_SESSION_TOKEN") {
            store = store.with_token(token);
        }
        // With an endpoint the bucket is a part of the path, not of the host's name.
        if let Ok(endpoint) = env::var("S3_ENDPOINT") {
            let is_plain = endpoint.starts_with("http:");
            store = store
                .with_endpoint(endpoint)
                .with_allow_http(is_plain)
                .with_virtual_hosted_style_request(false);
        }
        Ok(Arc::new(Lake {
            metadata: Arc::new(metadata),
            bucket: Url::parse(&format!("s3://{bucket}/")).map_err(external)?,
            store: Arc::new(Files { bucket, store: Arc::new(store.build().map_err(external)?) }),
        }))
    }

    pub fn runtime(&self) -> Arc<RuntimeEnv> {
        let runtime = RuntimeEnv::default();
        runtime.register_object_store(&self.bucket, self.store.clone());
        Arc::new(runtime)
    }

    fn newest(&self) -> Result<i64> {
        self.metadata.get_current_snapshot().map_err(external)
    }

    fn at(&self, snapshot: i64) -> Result<DuckLakeCatalog> {
        DuckLakeCatalog::with_snapshot(self.metadata.clone(), snapshot).map_err(external)
    }

    /// The table as it is in a snapshot, for this process only.
    pub async fn table(
        &self,
        schema: &str,
        name: &str,
        snapshot: i64,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        match self.at(snapshot)?.schema(schema) {
            Some(schema) => schema.table(name).await,
            None => Ok(None),
        }
    }
}

#[derive(Debug)]
pub struct LakeTable {
    lake: Arc<Lake>,
    schema: String,
    name: String,
    snapshot: i64,
    inner: Arc<dyn TableProvider>,
}

impl LakeTable {
    pub async fn open(
        lake: &Arc<Lake>,
        schema: &str,
        name: &str,
        snapshot: i64,
    ) -> Result<Option<LakeTable>> {
        let inner = lake.table(schema, name, snapshot).await?;
        let (schema, name) = (schema.to_owned(), name.to_owned());
        Ok(inner.map(|inner| LakeTable { lake: lake.clone(), schema, name, snapshot, inner }))
    }

    pub async fn at(&self, snapshot: i64) -> Result<LakeTable> {
        match LakeTable::open(&self.lake, &self.schema, &self.name, snapshot).await? {
            Some(table) if table.inner.schema() == self.inner.schema() => Ok(table),
            _ => plan_err!("{} changed while the statement was planned: try again", self.name),
        }
    }

    pub fn snapshot(&self) -> i64 {
        self.snapshot
    }
}

#[async_trait]
impl TableProvider for LakeTable {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }

    fn table_type(&self) -> TableType {
        self.inner.table_type()
    }

    fn statistics(&self) -> Option<Statistics> {
        self.inner.statistics()
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        self.inner.supports_filters_pushdown(filters)
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all = (0..self.schema().fields().len()).collect();
        // A filter that cannot be sent is left to the plan above, which repeats all of them anyway.
        let sendable = filters.iter().filter_map(|filter| filter.to_bytes().ok());
        let recipe = Recipe {
            schema: self.schema.clone(),
            table: self.name.clone(),
            snapshot: self.snapshot,
            projection: projection.unwrap_or(&all).iter().map(|index| *index as u64).collect(),
            filters: sendable.map(|bytes| bytes.to_vec()).collect(),
            limit: limit.map(|rows| rows as u64),
            session_partitions: session.config().target_partitions() as u64,
            ..Recipe::default()
        };
        Ok(Arc::new(LakeScan::planned(&self.lake, recipe, session).await?))
    }
}

#[derive(Debug)]
pub struct LakeCatalog(pub Arc<Lake>);

impl CatalogProvider for LakeCatalog {
    fn schema_names(&self) -> Vec<String> {
        let names =
            self.0.newest().and_then(|snapshot| self.0.at(snapshot)).map(|catalog| catalog.schema_names());
        names.unwrap_or_default().into_iter().filter(|name| name != "information_schema").collect()
    }

    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        let schema = LakeSchema { lake: self.0.clone(), name: name.to_owned() };
        self.schema_names().iter().any(|known| known == name).then(|| Arc::new(schema) as _)
    }
}

#[derive(Debug)]
struct LakeSchema {
    lake: Arc<Lake>,
    name: String,
}

impl LakeSchema {
    fn names(&self) -> Result<Vec<String>> {
        let catalog = self.lake.at(self.lake.newest()?)?;
        Ok(catalog.schema(&self.name).map(|schema| schema.table_names()).unwrap_or_default())
    }
}

#[async_trait]
impl SchemaProvider for LakeSchema {
    fn table_names(&self) -> Vec<String> {
        self.names().unwrap_or_default()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let table = LakeTable::open(&self.lake, &self.name, name, self.lake.newest()?).await?;
        Ok(table.map(|table| Arc::new(table) as _))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.table_names().iter().any(|known| known == name)
    }
}

/// All tables of a statement are read in one snapshot, whatever is committed while it is planned.
#[derive(Debug)]
pub struct OneSnapshot;

impl AnalyzerRule for OneSnapshot {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let mut newest = 0;
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                newest = newest.max(snapshot_of(&scan.source));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        let rewritten = plan.transform_up_with_subqueries(|node| match node {
            LogicalPlan::TableScan(mut scan) if (1..newest).contains(&snapshot_of(&scan.source)) => {
                let provider = source_as_provider(&scan.source)?;
                let old = provider.downcast_ref::<LakeTable>().expect("only these have a snapshot");
                scan.source = provider_as_source(Arc::new(futures::executor::block_on(old.at(newest))?));
                Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
            }
            other => Ok(Transformed::no(other)),
        });
        Ok(rewritten?.data)
    }

    fn name(&self) -> &str {
        "one_snapshot"
    }
}

fn snapshot_of(source: &Arc<dyn TableSource>) -> i64 {
    let provider = source_as_provider(source).ok();
    provider.and_then(|table| table.downcast_ref::<LakeTable>().map(LakeTable::snapshot)).unwrap_or(0)
}
