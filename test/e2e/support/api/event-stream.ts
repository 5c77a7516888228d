/** One server-sent event. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly data: string;
}

/** Reads an event stream to its end. Leaving the loop closes the connection. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(
        block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]),
      );
      const data = fields.get("data");
      if (data !== undefined) yield { id: fields.get("id"), name: fields.get("event"), data };
    }
  }
}
