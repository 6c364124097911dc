//! A Ballista cluster that knows one DuckLake: `distributed scheduler PORT` or
//! `distributed executor SCHEDULER:PORT HOST PORT CORES`. The lake is named by the environment (README.md).

mod files;
mod lake;
mod scan;

use std::{env, sync::Arc};

use ballista_core::extension::{
    SessionConfigExt, ballista_aggregate_functions, ballista_scalar_functions, ballista_window_functions,
};
use ballista_core::serde::BallistaPhysicalExtensionCodec;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::error::Result;
use datafusion::execution::{SessionStateBuilder, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use prost::Message;

use lake::{Lake, LakeCatalog, OneSnapshot, external};
use scan::{LakeScan, Recipe};

/// Begins what is ours: no message of Ballista begins so.
const OURS: &[u8] = b"lake";

#[derive(Debug)]
struct Codec(Arc<Lake>, BallistaPhysicalExtensionCodec);

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match bytes.strip_prefix(OURS) {
            Some(recipe) => {
                let recipe = Recipe::decode(recipe).map_err(external)?;
                Ok(Arc::new(LakeScan::new(&self.0, recipe, inputs[0].clone())?))
            }
            None => self.1.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match plan.downcast_ref::<LakeScan>() {
            Some(scan) => {
                bytes.extend_from_slice(OURS);
                scan.recipe().encode(bytes).map_err(external)
            }
            None => self.1.try_encode(plan, bytes, converter),
        }
    }
}

fn config() -> SessionConfig {
    let partitions = env::var("PARTITIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    SessionConfig::new_with_ballista()
        .with_target_partitions(partitions)
        // With it, Flight SQL announces the columns of another stage than the last.
        .with_ballista_adaptive_query_planner(false)
        .with_default_catalog_and_schema("lake", "main")
        .with_create_default_catalog_and_schema(false)
        .with_information_schema(true)
}

async fn schedule(lake: Arc<Lake>, port: u16) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let codec = Arc::new(Codec(lake.clone(), BallistaPhysicalExtensionCodec::default()));
    let session = Arc::new(move |config| {
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(lake.runtime())
            .with_default_features()
            .with_scalar_functions(ballista_scalar_functions())
            .with_aggregate_functions(ballista_aggregate_functions())
            .with_window_functions(ballista_window_functions())
            .with_analyzer_rule(Arc::new(OneSnapshot))
            .build();
        state.catalog_list().register_catalog("lake".to_owned(), Arc::new(LakeCatalog(lake.clone())));
        Ok(state)
    });
    let host = env::var("BIND_HOST").unwrap_or("127.0.0.1".to_owned());
    let mut settings = SchedulerConfig::default()
        .with_port(port)
        .with_flight_sql(true)
        .with_override_config_producer(Arc::new(config))
        .with_override_session_builder(session);
    settings.bind_host = host.clone();
    settings.override_physical_codec = Some(codec);
    let cluster = BallistaCluster::new_from_config(&settings).await?;
    Ok(start_server(cluster, format!("{host}:{port}").parse()?, Arc::new(settings)).await?)
}

async fn execute(lake: Arc<Lake>, args: &[String]) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let [scheduler, host, port, cores] = args else { return Err("SCHEDULER:PORT HOST PORT CORES".into()) };
    let (scheduler_host, scheduler_port) = scheduler.split_once(':').ok_or("SCHEDULER:PORT")?;
    let port: u16 = port.parse()?;
    let codec = Codec(lake.clone(), BallistaPhysicalExtensionCodec::default());
    let settings = ExecutorProcessConfig {
        bind_host: env::var("BIND_HOST").unwrap_or("127.0.0.1".to_owned()),
        external_host: Some(host.clone()),
        port,
        grpc_port: port + 1,
        scheduler_host: scheduler_host.to_owned(),
        scheduler_port: scheduler_port.parse()?,
        scheduler_connect_timeout_seconds: 30,
        vcores: cores.parse()?,
        memory_pool_size: env::var("MEMORY_BYTES").ok().and_then(|text| text.parse().ok()),
        override_config_producer: Some(Arc::new(config)),
        override_runtime_producer: Some(Arc::new(move |_| Ok(lake.runtime()))),
        override_physical_codec: Some(Arc::new(codec)),
        ..ExecutorProcessConfig::default()
    };
    Ok(start_executor_process(Arc::new(settings)).await?)
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().with_env_filter(tracing_subscriber::EnvFilter::from_default_env()).init();
    let args: Vec<String> = env::args().skip(1).collect();
    let lake = Lake::from_environment().await?;
    match args.split_first() {
        Some((role, [port])) if role == "scheduler" => schedule(lake, port.parse()?).await,
        Some((role, rest)) if role == "executor" => execute(lake, rest).await,
        _ => Err("scheduler PORT | executor SCHEDULER:PORT HOST PORT CORES".into()),
    }
}
