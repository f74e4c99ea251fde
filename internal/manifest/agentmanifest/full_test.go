package agentmanifest

// full is a manifest that uses every member, with capabilities of all kinds.
const full = `{
  "$schema": "./schema.json", "agentManifestVersion": "0.1-draft", "id": "shed", "status": "stable", "templateKind": "default",
  "identity": {"name": "Tool Shed", "domain": "shed.example", "owner": "Shed Ltd.", "contact": "hello@shed.example", "jurisdiction": "FR"},
  "platform": {"type": "generic-website", "stack": ["html"], "integrationMode": "static-or-bridge", "servingNotes": ["none"]},
  "discovery": {"recommendedLocations": ["/.well-known/agent.json"], "llmContext": ["/llms.txt", "../llms-full.txt"], "openapi": "/openapi.json", "mcp": "https://mcp.shed.example/"},
  "knowledge": [
    {"id": "tools", "type": "catalog", "source": "./tools.json", "refresh": "daily"},
    {"id": "weather", "type": "summary", "source": "https://weather.example/"}
  ],
  "capabilities": [
    {
      "id": "find_tools", "name": "Find tools", "description": "Find a tool by name.", "intent": "find_tools", "type": "query", "risk": "low",
      "stateChange": false, "consentMode": "none", "requiresConsent": false, "requiresAuthentication": false,
      "inputSchema": {"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}},
      "bindings": [
        {"kind": "html", "url": "/tools", "priority": 3, "schemaMode": "none"},
        {"kind": "http", "endpoint": "/api/tools", "priority": 1, "schemaMode": "inherits", "method": "GET", "contentType": "application/json"},
        {"kind": "static", "url": "/tools.json", "priority": 1, "schemaMode": "none", "fallbackOnly": true}
      ],
      "protocols": ["http"], "audit": ["query"]
    },
    {
      "id": "borrow", "name": "Borrow", "description": "Borrow a tool.", "intent": "borrow", "type": "action", "risk": "high",
      "stateChange": true, "consentMode": "step_up", "requiresConsent": true, "requiresAuthentication": true,
      "inputSchema": "./schemas/borrow.json", "outputSchema": "/schemas/borrowed.json",
      "enforcement": {"inputValidation": "server", "policy": "server", "consent": "client", "auth": "none", "audit": true, "idempotency": true},
      "bindings": [
        {"kind": "mcp", "server": "/mcp", "tool": "borrow", "priority": 1, "schemaMode": "external"},
        {"kind": "openapi", "spec": "/openapi.json", "operationId": "borrow", "priority": 2, "schemaMode": "mapped", "inputMapping": "/in.json", "outputMapping": "/out.json"},
        {"kind": "http", "endpoint": "/api/borrow", "method": "POST", "priority": 3, "schemaMode": "overrides", "inputSchema": {"type": "object"}, "outputSchema": "/schemas/other.json"}
      ]
    },
    {
      "id": "buy", "name": "Buy", "description": "Buy a tool.", "intent": "buy", "type": "transaction", "risk": "critical",
      "stateChange": true, "consentMode": "human_review", "requiresConsent": true, "requiresAuthentication": true,
      "bindings": [{"kind": "hosted-checkout", "url": "https://pay.example/shed", "priority": 1, "schemaMode": "external"}]
    }
  ],
  "policies": {"consent": "Ask.", "auth": "Sign in.", "dataMinimization": "Little.", "audit": "All.", "retention": {"days": 30}},
  "extensionPoints": ["a.json", "b.json"], "x-vendor": {"anything": [1]}
}`
