import type { Output } from "../../../../src/service/contract.ts";
import type { ServerWith } from "../accounts/accounts.ts";
import { clientOf, type Upload, upload } from "../api/api.ts";

export type ShipmentFile = NonNullable<Output<"getShare">["files"]>[number];

/** Makes calls that open shipments and add files. `getServer` is called each time, because suites start their server in a hook. */
export function shipmentCalls(getServer: () => ServerWith<"owner">) {
  const send = (name: string, bytes: string, fields: Record<string, string>): Promise<Upload> =>
    upload(getServer(), { bytes, name, fields }, { key: getServer().owner.key });
  return {
    open: (fields: Record<string, string> = {}, bytes = "hello"): Promise<Upload> => send("a.txt", bytes, { openShare: "true", ...fields }),
    join: (shipment: { shortId: string }, fields: Record<string, string> = {}, bytes = "more"): Promise<Upload> =>
      send("b.txt", bytes, { shareShortId: shipment.shortId, ...fields }),
    async filesOf(shortId: string): Promise<readonly ShipmentFile[]> {
      return (await clientOf(getServer(), getServer().owner).call("getShare", { shortId })).files ?? [];
    },
  };
}
