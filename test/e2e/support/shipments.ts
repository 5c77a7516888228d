import assert from "node:assert/strict";
import type { ServerWith } from "./accounts.ts";
import { getShare, type Upload, upload } from "./api.ts";

export interface ShipmentFile {
  readonly id: string;
  readonly name: string;
  readonly size_bytes: number;
  readonly content_type: string | null;
  readonly scanStatus: string;
  readonly failureReason: string | null;
  readonly relativePath: string | null;
}

/** Opens shipments and lets files join; `made` is asked with each call, since servers begin in a hook. */
export function shipmentCalls(made: () => ServerWith<"owner">) {
  const send = (name: string, bytes: string, fields: Record<string, string>): Promise<Upload> =>
    upload(made(), { bytes, name, fields }, { key: made().owner.key });
  return {
    open: (fields: Record<string, string> = {}, bytes = "hello"): Promise<Upload> => send("a.txt", bytes, { openShare: "true", ...fields }),
    join: (shipment: { shortId: string }, fields: Record<string, string> = {}, bytes = "more"): Promise<Upload> =>
      send("b.txt", bytes, { shareShortId: shipment.shortId, ...fields }),
    async filesOf(shortId: string): Promise<readonly ShipmentFile[]> {
      const { status, body } = await getShare(made(), shortId);
      assert.equal(status, 200);
      return body.files as readonly ShipmentFile[];
    },
  };
}
