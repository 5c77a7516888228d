import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { loadGroups } from "../../../src/cli/command.ts";
import { commandGroups } from "../../../src/cli/commands.ts";
import { type ExampleRunner, exampleMissing, startExampleRunner } from "../support/documents/example-runner.ts";
import { SETUPS } from "../support/documents/example-setups.ts";

const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);

/** command line, "Help": examples run as they are, where what they name exists. */
describe("an example in the help of a command", () => {
  let runner: ExampleRunner;
  before(async () => {
    runner = await startExampleRunner();
  });
  after(() => runner?.[Symbol.asyncDispose]());

  it("is of a command whose examples this test can set up", () => {
    assert.deepEqual(Object.keys(SETUPS).toSorted(), commands.map(({ name }) => name).toSorted());
  });

  for (const command of commands)
    for (const example of command.examples)
      it(`runs: ${example}`, { skip: exampleMissing(command.name) }, async () => void (await runner.run(command, example)));
});
