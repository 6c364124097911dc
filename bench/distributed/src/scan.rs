//! A scan of a lake's table that can be sent to executors. What is sent is which table, snapshot, columns and
//! filters to read; each executor finds the files, deletions and inlined rows in the catalog itself.

use std::{fmt, sync::Arc};

use ballista_scheduler::state::task_builder::restrict_plan_to_partitions;
use datafusion::arrow::array::{AsArray, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, UInt64Type};
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, Statistics, exec_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, SessionStateBuilder, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, conjunction};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::filter_pushdown::FilterPushdown;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, PlanProperties};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning};
use datafusion_proto::bytes::Serializeable;
use datafusion_proto::protobuf;
use futures::{StreamExt, TryStreamExt};
use tokio::sync::OnceCell;

use crate::lake::{Lake, external};

/// How to plan the same scan again, elsewhere.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Recipe {
    #[prost(string, tag = "1")]
    pub schema: String,
    #[prost(string, tag = "2")]
    pub table: String,
    #[prost(int64, tag = "3")]
    pub snapshot: i64,
    #[prost(uint64, repeated, tag = "4")]
    pub projection: Vec<u64>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub filters: Vec<Vec<u8>>,
    #[prost(uint64, optional, tag = "6")]
    pub limit: Option<u64>,
    #[prost(uint64, tag = "7")]
    pub session_partitions: u64,
    #[prost(uint64, tag = "8")]
    pub partitions: u64,
    #[prost(message, optional, tag = "9")]
    pub columns: Option<protobuf::Schema>,
}

impl Recipe {
    async fn plan(
        &self,
        lake: &Lake,
        session: &dyn Session,
        context: &TaskContext,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(table) = lake.table(&self.schema, &self.table, self.snapshot).await? else {
            return exec_err!("{} is not in snapshot {}", self.table, self.snapshot);
        };
        let filters = self.filters.iter().map(|bytes| Expr::from_bytes_with_ctx(bytes, context));
        let filters = filters.collect::<Result<Vec<_>>>()?;
        let projection = self.projection.iter().map(|index| *index as usize).collect();
        let limit = self.limit.map(|rows| rows as usize);
        let plan = table.scan(session, Some(&projection), &filters, limit).await?;
        let plan = prune(plan, &filters, session)?;
        let target = session.config().target_partitions();
        Ok(plan.repartitioned(target, session.config_options())?.unwrap_or(plan))
    }
}

/// Lets the Parquet reader skip what the filters rule out. The optimizer cannot: it does not see into a scan.
fn prune(
    plan: Arc<dyn ExecutionPlan>,
    filters: &[Expr],
    session: &dyn Session,
) -> Result<Arc<dyn ExecutionPlan>> {
    let columns = DFSchema::try_from(plan.schema())?;
    let physical = |filter: &Expr| session.create_physical_expr(filter.clone(), &columns).ok();
    let filters: Vec<Arc<dyn PhysicalExpr>> = filters.iter().filter_map(physical).collect();
    if filters.is_empty() {
        return Ok(plan);
    }
    let filtered = Arc::new(FilterExec::try_new(conjunction(filters), plan)?);
    let pushed = FilterPushdown::new().optimize(filtered, session.config_options())?;
    Ok(match pushed.downcast_ref::<FilterExec>() {
        Some(filter) => filter.input().clone(),
        None => pushed,
    })
}

/// Its input says which parts of the files to read. Ballista gives each task some of a stage's partitions by
/// cutting down the sources it knows, one of which is rows in memory: here, numbers of parts.
#[derive(Debug)]
pub struct LakeScan {
    lake: Arc<Lake>,
    recipe: Recipe,
    parts: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    plan: Arc<OnceCell<Arc<dyn ExecutionPlan>>>,
}

impl LakeScan {
    pub async fn planned(lake: &Arc<Lake>, recipe: Recipe, session: &dyn Session) -> Result<LakeScan> {
        let plan = recipe.plan(lake, session, &session.task_ctx()).await?;
        let columns = Some(plan.schema().as_ref().try_into()?);
        let partitions = plan.properties().partitioning.partition_count() as u64;
        let scan = LakeScan::new(lake, Recipe { columns, partitions, ..recipe }, numbers(partitions)?)?;
        scan.plan.set(plan).map_err(external)?;
        Ok(scan)
    }

    /// As an executor receives it: planned when it is first executed.
    pub fn new(lake: &Arc<Lake>, recipe: Recipe, parts: Arc<dyn ExecutionPlan>) -> Result<LakeScan> {
        let columns = recipe.columns.as_ref().map(Schema::try_from).transpose()?;
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::new(columns.unwrap_or_else(Schema::empty))),
            Partitioning::UnknownPartitioning(parts.properties().partitioning.partition_count()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Ok(LakeScan { lake: lake.clone(), recipe, parts, properties, plan: Arc::default() })
    }

    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }
}

fn numbers(count: u64) -> Result<Arc<dyn ExecutionPlan>> {
    let columns = Arc::new(Schema::new(vec![Field::new("part", DataType::UInt64, false)]));
    let batch = |part| RecordBatch::try_new(columns.clone(), vec![Arc::new(UInt64Array::from(vec![part]))]);
    let batches = (0..count).map(|part| Ok(vec![batch(part)?])).collect::<Result<Vec<_>>>()?;
    Ok(MemorySourceConfig::try_new_exec(&batches, columns.clone(), None)?)
}

/// Of a plan with all parts only these: parts read by one plan would take files from each other.
fn only(plan: &Arc<dyn ExecutionPlan>, rows: &[RecordBatch]) -> Result<Arc<dyn ExecutionPlan>> {
    let numbers = rows.iter().flat_map(|batch| batch.column(0).as_primitive::<UInt64Type>().values());
    let parts: Vec<usize> = numbers.map(|part| *part as usize).collect();
    let chosen = restrict_plan_to_partitions(plan.clone(), &parts).map_err(external)?;
    match chosen.properties().partitioning.partition_count() {
        count if count == parts.len() => Ok(chosen),
        count => exec_err!("{} parts of {} are to be read, not {count}", parts.len(), plan.name()),
    }
}

async fn replan(
    lake: Arc<Lake>,
    recipe: Recipe,
    context: Arc<TaskContext>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let config = context.session_config().clone().with_target_partitions(recipe.session_partitions as usize);
    let session =
        SessionStateBuilder::new().with_config(config).with_runtime_env(context.runtime_env()).build();
    let plan = recipe.plan(&lake, &session, &context).await?;
    let partitions = plan.properties().partitioning.partition_count() as u64;
    if partitions != recipe.partitions {
        return exec_err!(
            "{} was planned with {} parts, and now {partitions}",
            recipe.table,
            recipe.partitions
        );
    }
    Ok(plan)
}

impl DisplayAs for LakeScan {
    fn fmt_as(&self, _: DisplayFormatType, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Recipe { schema, table, snapshot, partitions, filters, .. } = &self.recipe;
        let filters = filters.len();
        write!(
            formatter,
            "LakeScan: {schema}.{table} snapshot={snapshot} parts={partitions} filters={filters}"
        )
    }
}

impl ExecutionPlan for LakeScan {
    fn name(&self) -> &str {
        "LakeScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.parts]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let scan = LakeScan::new(&self.lake, self.recipe.clone(), children.swap_remove(0))?;
        Ok(Arc::new(LakeScan { plan: self.plan.clone(), ..scan }))
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        match self.plan.get() {
            Some(plan) if args.partition().is_none() => StatisticsContext::new().compute(plan.as_ref(), args),
            _ => Ok(Arc::new(Statistics::new_unknown(&self.schema()))),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (lake, recipe, plan) = (self.lake.clone(), self.recipe.clone(), self.plan.clone());
        let parts = self.parts.execute(partition, context.clone())?;
        let rows = async move {
            let parts: Vec<RecordBatch> = parts.try_collect().await?;
            let plan = plan.get_or_try_init(|| replan(lake, recipe, context.clone())).await?;
            let plan = only(plan, &parts)?;
            let count = plan.properties().partitioning.partition_count();
            let streams =
                (0..count).map(|part| plan.execute(part, context.clone())).collect::<Result<Vec<_>>>()?;
            Result::<_>::Ok(futures::stream::iter(streams).flatten())
        };
        let rows = futures::stream::once(rows).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}
