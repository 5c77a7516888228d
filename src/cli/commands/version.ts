import { VERSION } from "../../version.ts";
import { defineCommand } from "../command.ts";

export const version = defineCommand({
  settings: [],
  examples: ["filehost version"],
  async run() {
    return { data: { version: VERSION }, text: `filehost ${VERSION}\n` };
  },
});
