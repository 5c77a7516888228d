import { inputRequired, inputResponse, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { capabilitiesOf, InputNeeded } from "./client-input.ts";

const KEY = "roots";

/**
 * Returns the URIs of the client's roots, the folders that it works in; undefined for a client without roots. Throws InputNeeded until the client has
 * answered.
 */
export type FindRoots = () => readonly string[] | undefined;

export const findRoots =
  (server: Server, { mcpReq }: ServerContext): FindRoots =>
  () => {
    if (capabilitiesOf(server, mcpReq).roots === undefined) return undefined;
    const answer = inputResponse(mcpReq.inputResponses, KEY);
    if (answer.kind === "roots") return answer.roots.map(({ uri }) => uri);
    throw new InputNeeded(inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } }));
  };
