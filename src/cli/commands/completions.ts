import { DEVICE_LISTS, type DeviceList, defineCommand, loadGroups, type Terminal } from "../command.ts";
import { UsageError } from "../failure.ts";
import { bashCompletions } from "../help/completions/bash.ts";
import { fishCompletions } from "../help/completions/fish.ts";
import { toCompletions } from "../help/completions/model.ts";
import { zshCompletions } from "../help/completions/zsh.ts";
import { toPlain } from "../terminal/text.ts";

const SCRIPTS = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions } as const;

const listProfiles = async (env: Terminal["env"]) => (await import("../../client/sign-in/profiles.ts")).openProfiles(env).list();

const LISTS: Readonly<Record<DeviceList, (env: Terminal["env"]) => Promise<readonly string[]>>> = {
  profiles: async (env) => (await listProfiles(env)).map(({ name }) => name),
  servers: async (env) => [...new Set((await listProfiles(env)).map(({ server }) => server))],
  async shares(env) {
    const shares = await (await import("../../client/records/share-records.ts")).openShareRecords(env).list();
    return shares.map(({ shortId }) => shortId);
  },
};

export const completions = defineCommand({
  details: `bash: add this line to ~/.bashrc.

  source <(filehost completions bash)

zsh: add this line to ~/.zshrc, after compinit.

  source <(filehost completions zsh)

fish: run this command once, and again after an update.

  filehost completions fish > ~/.config/fish/completions/filehost.fish`,
  args: { SHELL: { help: "The shell", choices: ["bash", "zsh", "fish"], optional: true } },
  options: {
    list: {
      kind: "text",
      value: "WHICH",
      choices: DEVICE_LISTS,
      help: "Print completions from what this device has recorded, as the scripts request them",
    },
  },
  settings: [],
  examples: ["filehost completions bash", "filehost completions zsh", "filehost completions fish"],
  async run({ args: { SHELL: shell }, options: { list }, groups, terminal }) {
    if ((shell === undefined) === (list === undefined)) throw new UsageError("Pass a SHELL or --list.", "filehost completions --help");
    if (list !== undefined) {
      const words = await LISTS[list](terminal.env);
      return { data: { list, words }, text: words.map((word) => `${toPlain(word)}\n`).join("") };
    }
    if (shell === undefined) return undefined;
    const script = SCRIPTS[shell](toCompletions(await loadGroups(groups)));
    return { data: { shell, script }, text: script };
  },
});
