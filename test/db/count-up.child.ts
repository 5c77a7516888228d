import { once } from "node:events";
import { openDatabase } from "../../src/db/open.ts";
import { countUp } from "./support.ts";

// Another process on the same file: counts up in transactions of its own; when told to, once more, holding the lock until told to go on.
const [url = "", times = "0"] = process.argv.slice(2);
const database = await openDatabase({ url });
for (let count = 0; count < Number(times); count++) await database.transaction((tx) => countUp(tx, "shared"));
process.stdout.write("counted\n");
await once(process.stdin, "data");
await database.transaction(async (tx) => {
  await countUp(tx, "shared");
  process.stdout.write("holding\n");
  await once(process.stdin, "data");
});
await database[Symbol.asyncDispose]();
process.stdin.destroy();
