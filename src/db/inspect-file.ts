import { openConnection } from "./connection.ts";
import { whileBusy } from "./faults.ts";
import { type DatabaseState, readState } from "./inspect.ts";

/** Looks at an existing file, which it neither migrates nor writes to. Throws the driver's errors as they are. */
export async function inspectFile(path: string): Promise<DatabaseState> {
  const connection = openConnection(path);
  try {
    connection.exec("PRAGMA query_only = ON");
    return await readState(async (sql) => (await whileBusy(() => connection.run(sql))).rows);
  } finally {
    connection.close();
  }
}
