import { adoptStorage, type StoreComparison } from "../../service/maintenance/adopt-storage.ts";
import { defineCommand } from "../command.ts";
import { confirmIrreversible, IRREVERSIBLE_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { alignColumns } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

export const storageAdopt = defineCommand({
  details: `A store and its database have the same ID and generation. If they differ, because one of them was restored, replaced or cloned, the server removes nothing from the store.

This command shows how many files of the database have their bytes, and how many blobs no file has, and asks. Then it gives both a new ID. Another server with another database that uses the same store removes nothing from then on: stop it first.

Blobs that no file has are removed 7 days later. To keep them, restore the database that has their files first.`,
  options: IRREVERSIBLE_OPTIONS,
  settings: DATA_SETTINGS,
  examples: ["filehost storage adopt", "filehost storage adopt --yes"],
  async run({ options, load, terminal }) {
    const found = await withApp(await load(), (ctx) =>
      adoptStorage(ctx, async (found) => {
        if (options.yes) return;
        await terminal.err(toText(found));
        await confirmIrreversible({ command: "storage adopt", options, terminal }, "Do this database and this store belong together?");
      }),
    );
    return { data: found, text: options.yes ? toText(found) : "", notes: ["The store now belongs to this database."] };
  },
});

const toText = ({ problem, files, missing, unknown }: StoreComparison): string =>
  `${problem}\n${alignColumns([
    [String(files), "files and thumbnails in the database"],
    [String(missing), "of them without their bytes in the store"],
    [String(unknown), "blobs in the store that no file has"],
  ])}`;
