import { defineCommand, loadGroups } from "../command.ts";
import { bashCompletions } from "../help/completions/bash.ts";
import { fishCompletions } from "../help/completions/fish.ts";
import { toCompletions } from "../help/completions/model.ts";
import { zshCompletions } from "../help/completions/zsh.ts";

const SCRIPTS = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions } as const;

export const completions = defineCommand({
  details: `bash: add this line to ~/.bashrc.

  source <(filehost completions bash)

zsh: add this line to ~/.zshrc, after compinit.

  source <(filehost completions zsh)

fish: run this command once, and again after an update.

  filehost completions fish > ~/.config/fish/completions/filehost.fish`,
  args: { SHELL: { help: "The shell", choices: ["bash", "zsh", "fish"] } },
  settings: [],
  examples: ["filehost completions bash", "filehost completions zsh", "filehost completions fish"],
  async run({ args: { SHELL: shell }, groups }) {
    const script = SCRIPTS[shell](toCompletions(await loadGroups(groups)));
    return { data: { shell, script }, text: script };
  },
});
