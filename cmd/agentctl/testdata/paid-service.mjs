// A service that is paid, by the libraries of x402 and MPP: what they verify is verified by them. The test starts it with the
// directory of the libraries as its own, and reads the port that it prints. Its standard input ends when it is no longer needed.
import { createServer } from 'node:http'
import { x402Facilitator } from '@x402/core/facilitator'
import * as wire from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { isAddressEqual, recoverAddress, sha256, verifyTypedData } from 'viem'
import { Errors, Method, z } from 'mppx'
import { Mppx, NodeListener } from 'mppx/server'

const wants = {
  scheme: 'exact', network: 'eip155:84532', amount: '2500', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', maxTimeoutSeconds: 60, extra: { name: 'USDC', version: '2' },
}
const chain = { // all that is asked of a chain; there is none
  getAddresses: () => ['0x0000000000000000000000000000000000000001'],
  readContract: async ({ functionName }) => functionName === 'balanceOf' ? 10n ** 12n : functionName === 'name' ? 'USDC' : functionName === 'version' ? '2' : undefined,
  verifyTypedData: args => verifyTypedData(args),
  writeContract: async () => '0x' + 'ab'.repeat(32),
  sendTransaction: async () => '0x' + 'ab'.repeat(32),
  waitForTransactionReceipt: async () => ({ status: 'success', logs: [] }),
  getCode: async ({ address }) => address.toLowerCase() === wants.asset.toLowerCase() ? '0x60' : undefined,
}
const facilitator = new x402Facilitator().register('eip155:84532', new ExactEvmScheme(chain))

async function x402(request, response) {
  const demand = error => {
    response.writeHead(402, { 'PAYMENT-REQUIRED': wire.encodePaymentRequiredHeader({ x402Version: 2, error, resource: { url: 'https://shop.example/api/x402' }, accepts: [wants] }) })
    response.end()
  }
  const header = request.headers['payment-signature']
  if (!header) return demand('payment required')
  const payload = wire.decodePaymentSignatureHeader(header)
  const verdict = await facilitator.verify(payload, wants)
  if (!verdict.isValid) return demand(verdict.invalidReason)
  const settled = await facilitator.settle(payload, wants)
  response.writeHead(200, { 'Content-Type': 'application/json', 'PAYMENT-RESPONSE': wire.encodePaymentResponseHeader(settled) })
  response.end(JSON.stringify({ payer: verdict.payer }))
}

// The method "example" is that of the example payer: a signature of the challenge.
const example = Method.from({
  name: 'example', intent: 'charge',
  schema: {
    credential: { payload: z.object({ proof: z.string() }) },
    request: z.object({ amount: z.string(), currency: z.string(), recipient: z.string() }),
  },
})
const raw = new Map()
const mppx = Mppx.create({
  realm: 'shop.example', secretKey: 'a secret that has at least thirty-two bytes',
  methods: [Method.toServer(example, {
    async verify({ credential }) {
      const text = Buffer.from(raw.get('header').replace(/^Payment /, ''), 'base64url').toString()
      const echo = JSON.parse(text).challenge
      const hash = sha256(Buffer.from(`agentctl example payment\n${echo.id}\n${echo.realm}\n${echo.request}\n`))
      const address = await recoverAddress({ hash, signature: '0x' + credential.payload.proof }).catch(() => null) // not every number is one
      const source = credential.source.replace('did:pkh:eip155:84532:', '')
      if (!address || !isAddressEqual(source, address)) throw new Errors.VerificationFailedError({ reason: 'signed by ' + address })
      return { method: 'example', status: 'success', timestamp: new Date().toISOString(), reference: address.toLowerCase() }
    },
  })],
})
async function mpp(request, response) {
  raw.set('header', request.headers.authorization ?? '')
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, value)
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const result = await mppx.charge({ amount: '250', currency: 'usd', recipient: 'acct_7' })(new Request('https://shop.example/api/mpp', { method: request.method, headers, body: body.length ? body : undefined }))
  NodeListener.sendResponse(response, result.status === 402 ? result.challenge : result.withReceipt(Response.json({ ok: true })))
}
const server = createServer((request, response) => {
  (request.url.endsWith('mpp') ? mpp : x402)(request, response).catch(error => { console.error(error); response.writeHead(500); response.end(String(error)) })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit()).resume()
