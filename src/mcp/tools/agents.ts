import { registerAgent as register } from "../../client/sign-in/register-agent.ts";
import { described, text } from "../../contract/scalars.ts";
import { AppError } from "../../errors.ts";
import { contract } from "../../service/contract.ts";
import { defineTool, toDescription } from "../tool.ts";

const { registerAgent: operation } = contract;
const registered = operation.output;

/** Registers an agent, with the proof of work that the operation requires (agents, "Registration"). */
export const registerAgent = defineTool({
  name: "register_agent",
  title: "Register this agent",
  description: toDescription(
    { summary: operation.summary },
    "Does the proof of work, which takes some seconds. For callers without a key, once: in a session all further calls act as the new account, otherwise save the key and send it as a bearer token.",
  ),
  access: "public",
  isForGuests: true,
  mayTakeLong: true,
  annotations: {},
  input: operation.input.pick({}).extend({
    label: described(text(120).min(1).default("mcp-agent"), "What the key is used for", "mcp-agent"),
  }),
  output: registered.partial({ key: true, note: true }),
  async run({ api, signal, solve, hasKey, keepKey, reportProgress }, { label }) {
    if (hasKey) throw new AppError("CONFLICT", "You already have a key. Use it, or register another account at /mcp/guest.");
    const { key, note, ...agent } = await register({ api, label, solve, signal, onStep: reportProgress });
    const kept = await keepKey(key);
    if (kept !== undefined) return { data: agent, next: `You are registered: this session acts as your account, with all tools, ${kept}.` };
    return {
      data: { ...agent, key, note },
      next: "You are registered. Save the key now, it is shown once, and send it as a bearer token to /mcp.",
    };
  },
});
