import type { Output } from "../../../../src/service/contract.ts";
import { type ApiResponse, type Body, type CallOptions, call, clientOf, type InputOf, postUpload, type Upload } from "../api/api.ts";

type Server = { readonly url: string };
export type RequestView = Output<"createRequest">;
export type Submission = Output<"openSubmission">;

/** Creates a request for files; rejects when the server refuses it. */
export const createFileRequest = async (server: Server, key: string, input: Partial<InputOf<"createRequest">> = {}): Promise<RequestView> =>
  (await clientOf(server, { key }).call("createRequest", { title: "Photos of the party", ...input })).data;

/** Returns the token in the link of a request. */
export const tokenOf = ({ requestUrl }: Pick<RequestView, "requestUrl">): string => requestUrl.replace(/^.*\/r\/|#.*$/g, "");

export const openSubmission = async (
  server: Server,
  requestToken: string,
  input: Omit<InputOf<"openSubmission">, "requestToken"> = {},
): Promise<Submission> => (await clientOf(server).call("openSubmission", { requestToken, ...input })).data;

/** Returns the fields of an upload that joins a submission. */
export const joining = (requestToken: string, { shortId, shareToken }: Submission) => ({ requestToken, shareShortId: shortId, shareToken });

/** Sends one small file to a request; resolves to any response. */
export const send = (
  server: Server,
  fields: Readonly<Record<string, string>>,
  { bytes = "some bytes", name = "note.txt", ...options }: CallOptions & { readonly bytes?: string; readonly name?: string } = {},
): Promise<ApiResponse<Body & { readonly data: Upload }>> => postUpload(server, { bytes, name, fields }, options);

export const getRequest = async (server: Server, key: string, id: string): Promise<Output<"getRequest">> =>
  (await clientOf(server, { key }).call("getRequest", { id })).data;

export const getByToken = async (server: Server, requestToken: string): Promise<Output<"getRequestByToken">> =>
  (await clientOf(server).call("getRequestByToken", { requestToken })).data;

export const patchRequest = (server: Server, key: string, id: string, json: object): Promise<ApiResponse> =>
  call(server, "PATCH", `/api/requests/${id}`, { key, json });
