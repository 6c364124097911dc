"""Reads one table with each of Python's clients of PostgreSQL, and prints what came as JSON."""

import asyncio
import datetime
import json
import sys
from urllib.parse import quote

import asyncpg
import psycopg
import sqlalchemy

port, user, password, database = sys.argv[1:]
place = {"host": "127.0.0.1", "port": port, "user": user, "password": password}
found = {}

with psycopg.connect(dbname=database, **place) as connection:
    rows = connection.execute("SELECT city, amount, day FROM orders WHERE amount > %s OR city = ANY(%s)", [5, ["Lyon"]])
    found["psycopg"] = sorted([str(value) for value in row] for row in rows)
    binary = connection.cursor(binary=True)
    binary.execute("SELECT city, amount, day, [1, 2] FROM orders WHERE day = %s", [datetime.date(2026, 1, 2)])
    found["binary"] = [[str(value) for value in row] for row in binary]
    with connection.cursor(name="many") as cursor:
        cursor.execute("SELECT * FROM range(25000) t(i)")
        found["cursor"] = [len(cursor.fetchmany(10)), sum(1 for _ in cursor)]

address = f"{quote(user)}:{quote(password)}@127.0.0.1:{port}/{database}"
inspector = sqlalchemy.inspect(sqlalchemy.create_engine(f"postgresql+psycopg://{address}"))
found["tables"] = inspector.get_table_names()
found["views"] = inspector.get_view_names()
found["schemas"] = inspector.get_schema_names()
found["columns"] = [[column["name"], str(column["type"])] for column in inspector.get_columns("orders")]
found["key"] = inspector.get_pk_constraint("orders")["constrained_columns"]
found["foreign keys"] = inspector.get_foreign_keys("orders")
found["unknown"] = inspector.has_table("nothing")


async def with_asyncpg():
    connection = await asyncpg.connect(database=database, **place)
    rows = await connection.fetch("SELECT city, amount FROM orders WHERE day < $1", datetime.date(2027, 1, 1))
    found["asyncpg"] = [[str(value) for value in row] for row in rows]
    async with connection.transaction(readonly=True):
        count = 0
        async for _ in connection.cursor("SELECT i FROM range(1000) t(i)"):
            count += 1
        found["asyncpg cursor"] = count
    await connection.close()


asyncio.run(with_asyncpg())
print(json.dumps(found))
