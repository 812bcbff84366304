// A real OpenID provider (npm oidc-provider) for the external login. It demands PKCE and prints its
// address as its first line. Argument: the redirect address of its one client "dispatch" (secret
// "hush"). Its built-in pages take any name and password: the name is the user's id. Roles:
//
//   dana, drew   "dispatch"
//   everyone else none
import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import "./until-parent-gone.mjs";

const roles = { dana: ["dispatch"], drew: ["dispatch"] };
// Its warnings about development settings would fill stderr; this is a test.
console.info = console.warn = () => {};

const http = createServer();
http.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${http.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: "dispatch", client_secret: "hush", redirect_uris: [process.argv[2]] }],
    scopes: ["openid", "profile"],
    claims: { openid: ["sub"], profile: ["name", "roles"] },
    pkce: { required: () => true },
    cookies: { keys: ["only for tests"] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 }, // seconds
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `Dispatcher ${id}`, roles: roles[id] ?? [] }),
    }),
  });
  http.on("request", provider.callback());
  console.log(issuer);
});
