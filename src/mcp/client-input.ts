import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** An error that a tool throws in place of a result. The client answers, and calls the tool again with the answer. */
export class InputNeeded extends Error {
  override readonly name = "InputNeeded";
  constructor(readonly result: InputRequiredResult) {
    super("The client must answer first.");
  }
}

/** Returns the capabilities that the client has declared, in this request or when it connected. */
export function capabilitiesOf(server: Server, { envelope }: ServerContext["mcpReq"]): ClientCapabilities {
  const declared = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return declared ?? server.getClientCapabilities() ?? {};
}
