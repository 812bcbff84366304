// A certificate for the tests' own server. The browsers are told to take any; it only
// has to be one.
import { generateKeyPairSync, sign } from "node:crypto";

/** DER (X.690, section 8.1): tag, length, contents. */
function der(tag, ...parts) {
  const body = Buffer.concat(parts);
  const n = body.length;
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
const sequence = (...parts) => der(0x30, ...parts);
const oid = (hex) => der(0x06, Buffer.from(hex, "hex"));
const ecdsaWithSHA256 = sequence(oid("2a8648ce3d040302"));
const commonName = (name) => sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(name)))));
const time = (text) => der(0x17, Buffer.from(text));

/** The IPv4 address that it is for, as a client that checks wants to see it (section 4.2.1.6). */
const alternative = (address) => sequence(oid("551d11"), der(0x04, sequence(der(0x87, Buffer.from(address.split(".").map(Number))))));

/** certificate returns key and self-signed certificate (RFC 5280, section 4.1) as PEM; address: an IPv4 address that it is good for. */
export function certificate(name, address) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const [version, extensions] = address ? [[der(0xa0, der(0x02, Buffer.from([2])))], [der(0xa3, sequence(alternative(address)))]] : [[], []];
  const body = sequence(
    ...version, // without one it is version 1
    der(0x02, Buffer.from([1])), // serial number
    ecdsaWithSHA256, commonName(name), sequence(time("250101000000Z"), time("491231235959Z")), commonName(name), spki, ...extensions,
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const cert = sequence(body, ecdsaWithSHA256, signature);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}
