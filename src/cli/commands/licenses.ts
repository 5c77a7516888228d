import { defineCommand } from "../command.ts";

export const licenses = defineCommand({
  settings: [],
  examples: ["filehost licenses"],
  async run() {
    const { default: collected } = await import("../../generated/licenses.json", { with: { type: "json" } });
    return { data: { licenses: collected.text }, text: collected.text };
  },
});
