import { parseSync } from "oxc-parser";

/** Titles of the groups of src/cli/commands.ts whose commands work on the machine of a server. */
const SERVER_GROUPS = ["Server", "Accounts and keys", "Files and storage"];

type Range = readonly [start: number, end: number];

/**
 * Removes the groups of the server, and so the modules of their commands, from the source of src/cli/commands.ts. Throws if the source has another
 * form.
 */
export function keepClientCommands(source: string): string {
  const { program } = parseSync("commands.ts", source);
  const groups = program.body.flatMap((node) => {
    const declaration = node.type === "ExportNamedDeclaration" ? node.declaration : null;
    const list = declaration?.type === "VariableDeclaration" ? declaration.declarations[0]?.init : null;
    return list?.type === "ArrayExpression" ? list.elements.filter((element) => element?.type === "ObjectExpression") : [];
  });
  const removed = SERVER_GROUPS.map((title): Range => {
    const found = groups.find(({ start, end }) => source.slice(start, end).includes(`title: ${JSON.stringify(title)},`));
    if (found === undefined) throw new Error(`src/cli/commands.ts has no group ${title}.`);
    // The range includes the comma after the group.
    return [found.start, source.indexOf(",", found.end) + 1];
  });
  return removed.toSorted(([a], [b]) => b - a).reduce((text, [start, end]) => text.slice(0, start) + text.slice(end), source);
}
