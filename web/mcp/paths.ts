/** The endpoints of MCP, which browsers get as pages. */
export const MCP_PATH = "/mcp";
export const MCP_GUEST_PATH = "/mcp/guest";
