// The two parts of undici that make requests. Its main module loads fetch, WebSockets, caches and mocks as well, which is most of the time a bridge needs
// to start; the version is pinned, so that its files stay where they are.

declare module "undici/lib/dispatcher/agent.js" {
  import type { Agent } from "undici";
  const agent: typeof Agent;
  export default agent;
}

declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";
  /** Makes a request with a dispatcher. */
  function request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  export default request;
}
