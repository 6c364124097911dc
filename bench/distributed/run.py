"""
The 22 TPC-H queries over an organization's lake by two executors of a Ballista cluster, and by the service:
whether the answers are equal, and the best time of a few alternating runs each. See README.md.

    python bench/distributed/run.py PROGRAM [RUNS]
"""
import json
import math
import os
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from decimal import Decimal
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import adbc_driver_flightsql.dbapi as flight_sql
import duckdb
import pyarrow as pa

program = sys.argv[1]
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
executors = int(os.environ.get("EXECUTORS", "2"))


def free_ports(count):
    """Neighbours, because an executor uses the port it is given and the next one."""
    sockets = [socket.create_server(("127.0.0.1", 0))]
    first = sockets[0].getsockname()[1]
    for port in range(first + 1, first + count):
        sockets.append(socket.create_server(("127.0.0.1", port)))
    for opened in sockets:
        opened.close()
    return list(range(first, first + count))


class Cluster:
    def __init__(self, folder):
        scheduler, *ports = free_ports(1 + 2 * executors)
        self.folder = Path(folder)
        self.address = f"grpc://127.0.0.1:{scheduler}"
        self.processes = [self.start("scheduler", str(scheduler))]
        for port in ports[::2]:
            args = ["executor", f"127.0.0.1:{scheduler}", "127.0.0.1", str(port), os.environ.get("CORES", "1")]
            self.processes.append(self.start(*args))

    def start(self, role, *args):
        log = open(self.folder / f"{role}-{args[-2] if role == 'executor' else ''}.log", "w")
        environment = {"RUST_LOG": "warn,ballista_executor=info", "MEMORY_BYTES": "4000000000", **os.environ}
        return subprocess.Popen([program, role, *args], stdout=log, stderr=log, env=environment)

    def connect(self):
        for _ in range(100):
            try:
                with flight_sql.connect(self.address, autocommit=True) as connection:
                    with connection.cursor() as cursor:
                        cursor.execute("SELECT count(*) FROM nation")
                return flight_sql.connect(self.address, autocommit=True)
            except Exception as error:
                failed = error
                time.sleep(0.3)
        raise failed

    def stop(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


class Service:
    def __init__(self):
        self.url = os.environ["WORKSPACE_URL"]
        names = {"client_id": "WORKSPACE_CLIENT_ID", "client_secret": "WORKSPACE_CLIENT_SECRET"}
        form = urllib.parse.urlencode({key: os.environ[name] for key, name in names.items()})
        with urllib.request.urlopen(f"{self.url}/v1/auth/m2m/token", form.encode()) as answer:
            self.token = json.load(answer)["access_token"]

    def ask(self, sql):
        headers = {
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            "accept": "application/vnd.apache.arrow.stream",
        }
        body = json.dumps({"sql": sql, "timeout_ms": 120_000}).encode()
        request = urllib.request.Request(f"{self.url}/v1/query-executions", body, headers)
        with urllib.request.urlopen(request) as answer:
            return pa.ipc.open_stream(answer).read_all()


def is_same(a, b):
    """Of decimals, one engine averages to a double and the other to six decimals."""
    if isinstance(a, Decimal | int | float) and isinstance(b, Decimal | int | float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)
    return a == b


def rows_of(table):
    return [tuple(row) for row in zip(*(column.to_pylist() for column in table.columns))]


def compare(ours, theirs):
    a, b = rows_of(ours), rows_of(theirs)
    if len(a) != len(b):
        return f"DIFFERENT, {len(a)} and {len(b)} rows"
    for one, other in zip(a, b):
        if not all(map(is_same, one, other)):
            return f"DIFFERENT, {one} and {other}"
    return f"equal, {len(a)} rows"


def queries():
    folder = Path(find_spec("duckdb_extension_tpch").submodule_search_locations[0])
    engine = duckdb.connect()
    engine.execute(f"LOAD '{glob(f'{folder}/**/tpch.duckdb_extension', recursive=True)[0]}'")
    return [sql for (sql,) in engine.execute("SELECT query FROM tpch_queries() ORDER BY query_nr").fetchall()]


def timed(work):
    started = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - started


def main():
    service = Service()
    with TemporaryDirectory() as folder:
        cluster = Cluster(folder)
        try:
            connection = cluster.connect()
            cursor = connection.cursor()

            def ask(sql):
                cursor.execute(sql)
                return cursor.fetch_arrow_table()

            totals = [0.0, 0.0]
            for number, sql in enumerate(queries(), 1):
                best = [float("inf"), float("inf")]
                try:
                    for _ in range(runs):
                        ours, seconds = timed(lambda: service.ask(sql))
                        best[0] = min(best[0], seconds)
                        theirs, seconds = timed(lambda: ask(sql))
                        best[1] = min(best[1], seconds)
                    verdict = compare(ours, theirs)
                except Exception as error:
                    verdict = f"FAILED {str(error)[:300]}"
                totals = [total + seconds for total, seconds in zip(totals, best)]
                print(f"Q{number:02}  service {best[0]:.2f} s  cluster {best[1]:.2f} s  {verdict}", flush=True)
            print(f"all  service {totals[0]:.1f} s  cluster {totals[1]:.1f} s")
            for log in sorted(Path(folder).glob("executor-*.log")):
                print(f"{log.stem}: {log.read_text().count('task')} lines about tasks")
            cursor.close()
            connection.close()
        finally:
            cluster.stop()
            if keep := os.environ.get("KEEP_LOGS"):
                for log in Path(folder).glob("*.log"):
                    Path(keep, log.name).write_bytes(log.read_bytes())


main()
