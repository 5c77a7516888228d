import { z } from "zod";
import { described, text } from "../../contract/scalars.ts";
import { defineTool, type Tool } from "../tool.ts";

const found = z.object({
  name: described(z.string(), "The tool's name", "service_upload"),
  title: described(z.string(), "What it does, in a few words", "Upload a file"),
  description: described(z.string(), "What it does", "Uploads a file and returns its share link."),
  requiresKey: described(z.boolean(), "Whether a key is needed", false),
});

/** Finds tools by words, including tools that need a key. */
export const searchTools = (list: () => readonly Tool[]): Tool =>
  defineTool({
    name: "search_tools",
    title: "Find a tool",
    description: "Finds the tools of this server by what they do, also those that need a key. Without a query, lists all.",
    access: "public",
    isForGuests: true,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    input: z.object({ query: described(text(200).default(""), "Words for what you want to do", "delete a file") }),
    output: z.object({ tools: described(z.array(found), "The tools, best first") }),
    async run({ hasKey }, { query }) {
      const words = query.toLowerCase().match(/[a-z]{3,}/g) ?? [];
      const ranked = list()
        .map((tool) => ({ tool, score: score(tool, words) }))
        .filter(({ score }) => words.length === 0 || score > 0)
        .toSorted((one, other) => other.score - one.score);
      const tools = ranked.map(({ tool: { isForGuests, access, description } }) => ({
        name: description.name,
        title: description.title,
        description: description.description,
        requiresKey: !isForGuests || (access !== "public" && access !== "optional"),
      }));
      if (tools.length === 0) return { data: { tools }, next: "No tool fits. Search with other words, or without a query for all." };
      const register =
        !hasKey && tools.some(({ requiresKey }) => requiresKey) ? " Those with requiresKey: call service_register_agent first, once." : "";
      return { data: { tools }, next: `Call a tool by its name.${register}` };
    },
  });

/** Rates a tool for a search. A word in the name or title counts more than one in the description. */
function score({ description: { name, title, description } }: Tool, words: readonly string[]): number {
  const points = (text: string, weight: number): number => words.filter((word) => text.toLowerCase().includes(word)).length * weight;
  return points(`${name} ${title}`, 3) + points(description, 1);
}
