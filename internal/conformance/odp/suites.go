package main

// suite says which code the cases of one kind are for. Empty members match everything.
type suite struct {
	category  string
	vector    string // id or subject of the vector
	operation string // of the case
	input     string // a member of the case that tells it from others
	check     func(testcase) error
}

func (s suite) matches(t testcase) bool {
	return s.category == t.Category &&
		(s.vector == "" || s.vector == t.ID || s.vector == t.Subject) &&
		(s.operation == "" || s.operation == t.text("operation")) &&
		(s.input == "" || t.has(s.input))
}

// suites lists all cases that there is code for; the first one that matches counts (ODP-155).
func suites() []suite {
	return []suite{
		{category: "actions", operation: "validate-actions", check: validateActions},
		{category: "actions", operation: "resolve-openapi", check: resolveOpenAPI},

		{category: "attribute-schemas", operation: "validate-reference", check: schemaReference},
		{category: "attribute-schemas", operation: "validate-response", check: schemaResponse},
		{category: "attribute-schemas", operation: "validation-scope", check: validationScope},
		{category: "attribute-schemas", operation: "failure-scope", check: schemaFailureScope},

		{category: "collection-search", operation: "validate-request", check: collectionSearch},
		{category: "collection-search", operation: "apply-constraints", check: applyCollectionSearch},

		{category: "collections", input: "condition", check: invalidEdge},
		{category: "collections", input: "chain_length", check: hierarchyChain},
		{category: "collections", input: "query_collection_id", check: membership},
		{category: "collections", input: "document", check: collectionDocument},
		{category: "collections", input: "collections", check: hierarchy},

		{category: "composition", operation: "validate-advertisement", check: protocolAdvertisement},
		{category: "composition", operation: "classify-live-response", check: liveResponse},
		{category: "composition", operation: "validate-sequence", check: liveSequence},

		{category: "conformance", input: "behaviors", check: agentBaseline},

		{category: "errors-limits", operation: "validate-problem", check: problem},
		{category: "errors-limits", operation: "validate-limit", check: limit},
		{category: "errors-limits", operation: "limit-failure-scope", check: limitFailureScope},
		{category: "errors-limits", operation: "retry", check: retry},

		{category: "filters-sorting", operation: "validate-definition", check: filterDefinition},
		{category: "filters-sorting", operation: "validate-expression", check: filterExpression},
		{category: "filters-sorting", operation: "evaluate-expression", check: evaluateExpression},
		{category: "filters-sorting", operation: "validate-sort", check: sortDefinition},

		{category: "identity", input: "left", check: identityComparison},
		{category: "identity", vector: "local-identifier", check: localIdentifier},
		{category: "identity", vector: "resource-reference", check: resourceReference},
		{category: "identity", vector: "service-origin", check: serviceOrigin},

		{category: "offering-search", operation: "validate-request", check: offeringSearch},
		{category: "offering-search", operation: "apply-constraints", check: applyOfferingSearch},

		{category: "offerings", input: "document", check: offeringDocument},

		{category: "pagination", operation: "validate-page", check: page},
		{category: "pagination", operation: "validate-limit", check: pageLimit},
		{category: "pagination", operation: "validate-sequence", check: pageSequence},
		{category: "pagination", operation: "validate-next", check: nextPage},
		{category: "pagination", operation: "validate-lifetime", check: continuationLifetime},
		{category: "pagination", operation: "validate-storage-model", check: storageModel},
		{category: "pagination", operation: "conditional-get", check: conditionalGet},

		{category: "refinements", operation: "validate-request", check: refinementRequest},
		{category: "refinements", operation: "validate-response", check: refinementResponse},
		{category: "refinements", operation: "compute-counts", check: computeCounts},

		{category: "representation", input: "terse", check: detailFields},
		{category: "representation", input: "document", check: resourceDocument},
		{category: "representation", input: "operation", check: selectRepresentation},

		{category: "search-capabilities", operation: "validate-advertisement", check: capabilityAdvertisement},
		{category: "search-capabilities", operation: "validate-linked-source", check: linkedSource},
		{category: "search-capabilities", operation: "validate-linked-page-count", check: linkedPageCount},
		{category: "search-capabilities", operation: "merge-capabilities", check: mergeCapabilities},

		{category: "security", operation: "validate-destination", check: destination},
		{category: "security", operation: "validate-redirect", check: redirect},
		{category: "security", operation: "forwarded-sensitive-fields", check: forwardedFields},
		{category: "security", operation: "action-invocable", check: actionInvocable},
		{category: "security", operation: "payment-authorized", check: paymentAuthorized},
		{category: "security", operation: "cache-reusable", check: cacheReusable},

		{category: "service-document", input: "document", check: serviceDocument},

		{category: "versioning", input: "received", check: protocolVersion},
		{category: "versioning", input: "top_level", check: versionPlacement},
		{category: "versioning", check: mediaNegotiation},
	}
}
