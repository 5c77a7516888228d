import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openConnection } from "../../src/db/connection.ts";
import { makeFolder } from "../support/folder.ts";

/** docs/design/database.md: what the driver leaves of a query that found the file locked. */
for (const read of ["run", "first"] as const)
  test(`a query that found the file locked and was given up hides no later change and blocks nobody (${read})`, async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, "a.db");
    const [reader, writer] = [openConnection(path), openConnection(path)];
    writer.exec("CREATE TABLE one (x); CREATE TABLE other (x)");
    const [one, other] = ["SELECT count(*) AS n FROM one", "SELECT count(*) AS n FROM other"] as const;
    for (const query of [one, other]) assert.deepEqual(reader[read](query), read === "run" ? { rows: [{ n: 0 }] } : { n: 0 });
    writer.exec("BEGIN EXCLUSIVE");
    for (const query of [one, other]) assert.throws(() => reader[read](query), { code: "SQLITE_BUSY" });
    writer.exec("COMMIT");
    for (let n = 0; n < 3; n += 1) {
      assert.deepEqual(reader.run(other).rows, [{ n }]);
      writer.exec("INSERT INTO other VALUES (1)");
    }
    reader.close();
    writer.close();
  });
