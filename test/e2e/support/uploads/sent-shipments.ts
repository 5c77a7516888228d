import type { Output } from "../../../../src/service/contract.ts";
import { type CallOptions, clientOf, type InputOf, type Upload, upload } from "../api/api.ts";

type Server = { readonly url: string };

export type OpenedShipment = Output<"createShare">;

/** Opens an empty shipment, without a key unless one is given; rejects when the server refuses it. */
export async function openShipment(
  server: Server,
  input: InputOf<"createShare"> = {},
  options: Pick<CallOptions, "key"> = {},
): Promise<OpenedShipment> {
  return (await clientOf(server, options).call("createShare", input)).data;
}

/** Returns the publish fields with which an upload without the owner's key joins a shipment. */
export const joining = ({ shortId, shareToken }: Pick<OpenedShipment, "shortId" | "shareToken">) => ({ shareShortId: shortId, shareToken });

/** Adds a file to a shipment by its token. */
export const addFile = (server: Server, shipment: OpenedShipment, name = "a.txt", bytes = "hello"): Promise<Upload> =>
  upload(server, { name, bytes, fields: joining(shipment) });
