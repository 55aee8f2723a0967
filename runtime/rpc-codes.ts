// The error codes that JSON-RPC itself defines. A leaf. https://www.jsonrpc.org/specification#error_object

/** What came is not JSON. */
export const PARSE_ERROR = -32700;
/** What came is JSON, but no request. */
export const INVALID_REQUEST = -32600;
/** There is no such method, or not for this peer. */
export const METHOD_NOT_FOUND = -32601;
/** The params are not what the method takes. */
export const INVALID_PARAMS = -32602;
/** What went wrong is the receiver's own business. */
export const INTERNAL_ERROR = -32603;
