import { inputRequired, inputResponse, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { capabilitiesOf, InputNeeded } from "./client-input.ts";

const KEY = "roots";

/** The URIs of the folders that a client works in; undefined for a client that has none. Throws InputNeeded until the client has answered. */
export type FindRoots = () => readonly string[] | undefined;

export const findRoots =
  (server: Server, { mcpReq }: ServerContext): FindRoots =>
  () => {
    if (capabilitiesOf(server, mcpReq).roots === undefined) return undefined;
    const answer = inputResponse(mcpReq.inputResponses, KEY);
    if (answer.kind === "roots") return answer.roots.map(({ uri }) => uri);
    throw new InputNeeded(inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } }));
  };
