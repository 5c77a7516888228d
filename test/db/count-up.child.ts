import { once } from "node:events";
import { openDatabase } from "../../src/db/open.ts";
import { countUp } from "./support.ts";

// Counts up in transactions. After a line on stdin it counts once more, and keeps the lock until the next line.
const [url = "", times = "0"] = process.argv.slice(2);
const database = await openDatabase({ url });
for (let count = 0; count < Number(times); count++) await database.transaction((transaction) => countUp(transaction, "shared"));
process.stdout.write("counted\n");
await once(process.stdin, "data");
await database.transaction(async (transaction) => {
  await countUp(transaction, "shared");
  process.stdout.write("holding\n");
  await once(process.stdin, "data");
});
await database[Symbol.asyncDispose]();
process.stdin.destroy();
