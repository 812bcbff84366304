//go:build !wasm

package wire

import (
	"slices"

	"squelch/core"
)

// Admin is what routes under /admin/api ask for: the cookie of an admin login and,
// if they change something, its csrfToken in the header X-CSRF-Token.
const Admin Auth = "admin"

const put = "PUT"

// Shapes of the administration. Volumes are 0-100 here, as in the file;
// frequencies are canonical strings; times are ms since the epoch.
type (
	AdminLogin struct {
		Name     Text `json:"name,omitempty"` // of the account; left out: owner
		Password Text `json:"password" wire:"required"`
	}
	// AdminSession says whether the caller is logged in. CSRFToken is for the
	// header X-CSRF-Token of every request that changes something.
	AdminSession struct {
		Success       bool   `json:"success"`
		Authenticated bool   `json:"authenticated"`
		ServerName    string `json:"serverName"`
		CSRFToken     string `json:"csrfToken,omitempty"`
		Expires       int64  `json:"expires,omitempty"`
		Name          string `json:"name,omitempty"` // of the account
		Role          Role   `json:"role,omitempty"` // owner, admin, viewer
	}
	// AdminFailure is Failure with the path of the value at fault, such as
	// "zones[2].channels[1].frequency" (lists count from 1).
	AdminFailure struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
		Field   string `json:"field,omitempty"`
		// Mistakes are those of a configuration file that was to be read again.
		Mistakes []AdminMistake `json:"mistakes,omitempty"`
	}
	// AdminConfig is the configuration in force. The next edit has to name its
	// Revision.
	AdminConfig struct {
		Success  bool       `json:"success"`
		Revision string     `json:"revision"`
		Edited   []string   `json:"edited"`            // parts that override the file
		Ignored  string     `json:"ignored,omitempty"` // why stored edits are not in force
		Config   AdminParts `json:"config"`
	}
	// AdminEdit replaces the parts that it has, all or none of them, if Revision
	// is still in force (else 409).
	AdminEdit struct {
		Revision string     `json:"revision"`
		Config   AdminParts `json:"config"`
	}
	// AdminReset puts Parts back to what the file says; without Parts, all of them.
	AdminReset struct {
		Revision string   `json:"revision"`
		Parts    []string `json:"parts,omitempty"`
	}
	// AdminParts are the parts of the configuration that can be edited live. In an
	// edit, a nil part stays as it is and an empty one becomes empty.
	AdminParts struct {
		Zones              []AdminZone     `json:"zones,omitzero"`
		Alerts             []Alert         `json:"alerts,omitzero"`
		Tones              []core.Tone     `json:"tones,omitzero"`
		Volumes            *AdminVolumes   `json:"volumes,omitzero"`
		AnnouncementGroups []AdminGroup    `json:"announcementGroups,omitzero"`
		Codeplugs          []AdminCodeplug `json:"codeplugs,omitzero"`
		JobCodeplugs       []AdminJob      `json:"jobCodeplugs,omitzero"`
		Layouts            []Layout        `json:"layouts,omitzero"`
	}
	AdminZone struct {
		Name     string         `json:"name"`
		NacIDs   []string       `json:"nacIds"` // empty: everyone sees the zone
		Channels []AdminChannel `json:"channels"`
	}
	AdminChannel struct {
		Name            string           `json:"name"`
		Type            string           `json:"type"` // conventional, trunked, digital
		Frequency       core.Frequency   `json:"frequency"`
		Display         string           `json:"display,omitempty"`        // the operator's own spelling of frequency
		FrequencyRange  []core.Frequency `json:"frequencyRange,omitempty"` // low, high; trunked only
		Coverage        float64          `json:"coverage,omitempty"`       // metres
		AllowedNacs     []string         `json:"allowedNacs"`
		ScanAllowedNacs []string         `json:"scanAllowedNacs"`
		GPS             AdminGPS         `json:"gps"`
	}
	AdminGPS struct {
		Color         string   `json:"color"`
		VisibleToNacs []string `json:"visibleToNacs"`
	}
	AdminVolumes struct {
		Voice   int `json:"voice"`
		SFX     int `json:"sfx"`
		Audio3D int `json:"audio3d"`
		Step    int `json:"step"`
	}
	AdminGroup struct {
		ID          string           `json:"id"`
		Name        string           `json:"name"`
		Frequencies []core.Frequency `json:"frequencies"`
	}
	AdminCodeplug struct {
		ID                 string         `json:"id"`
		UnitID             string         `json:"unitId"`
		Nac                int            `json:"nac"` // 12-bit network access code
		RadioModel         string         `json:"radioModel"`
		Zones              []int          `json:"zones"` // 1-based; empty: all
		Features           AdminFeatures  `json:"features"`
		Tones              AdminRadioTone `json:"tones"`
		Emergency          AdminEmergency `json:"emergency"`
		AnnouncementVolume float64        `json:"announcementVolume"` // 0-100
	}
	AdminFeatures struct {
		Scan     bool `json:"scan"`
		GPS      bool `json:"gps"`
		Panic    bool `json:"panic"`
		Dispatch bool `json:"dispatch"`
	}
	AdminRadioTone struct {
		KeyUp   string `json:"keyUp"`
		KeyDown string `json:"keyDown"`
		Busy    string `json:"busy"`
	}
	AdminEmergency struct {
		RevertFrequency core.Frequency `json:"revertFrequency"` // "": the unit's speaker channel
		HotMicMs        int64          `json:"hotMicMs"`
	}
	AdminJob struct {
		Job      string `json:"job"`
		Codeplug string `json:"codeplug"`
	}
	// AdminSessionList is who has logged in as dispatcher.
	AdminSessionList struct {
		Sessions []AdminSessionRow `json:"sessions"`
	}
	// AdminSessionRow is one login with all sessions that come from it. If all of
	// them are over but a socket is still open, only Key and Users are known. Key
	// names the login for AdminRevoke; it is not a credential.
	AdminSessionRow struct {
		Key      string        `json:"key"`
		Callsign string        `json:"callsign"`
		Name     string        `json:"name"` // from the identity provider
		Via      string        `json:"via"`  // nac, external
		Created  int64         `json:"created"`
		Expires  int64         `json:"expires"`
		LastUsed int64         `json:"lastUsed"`
		Users    []core.UserID `json:"users"` // connected under this login
	}
	AdminRevoke struct {
		Key Text `json:"key" wire:"required"`
	}
	AdminRevoked struct {
		Success bool          `json:"success"`
		Closed  []core.UserID `json:"closed"`
	}
	AdminUserList struct {
		Users []AdminUser `json:"users"`
	}
	AdminUser struct {
		ServerID  core.UserID      `json:"serverId"`
		Name      string           `json:"name"`
		Callsign  string           `json:"callsign"`
		UnitID    string           `json:"unitId"`
		NacID     string           `json:"nacId"`
		Current   core.Frequency   `json:"currentChannel"` // "": none
		Scanning  []core.Frequency `json:"scanning"`
		IsTalking bool             `json:"isTalking"`
		Link      string           `json:"link"`    // up, lost (may come back), none
		Session   string           `json:"session"` // key of the login, "" for players and bots
	}
	// AdminAuditPage is the newest entries of the audit log that were asked for, oldest
	// first. Before, if there is one, asks for the next older ones; a search that found
	// little on its way has one too. A line of the downloads is one such entry.
	AdminAuditPage struct {
		Entries []AdminAuditEntry `json:"entries"`
		Before  uint64            `json:"before,omitempty"`
	}
	AdminAuditEntry struct {
		Seq       uint64          `json:"seq"`
		Time      int64           `json:"time"`
		Actor     AdminAuditActor `json:"actor"`
		Surface   string          `json:"surface"`
		Action    string          `json:"action"`
		Frequency string          `json:"frequency,omitempty"`
		Target    string          `json:"target,omitempty"`
		Detail    map[string]any  `json:"detail,omitempty"`
	}
	AdminAuditActor struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	// AdminVerification is the result of checking the chain of hashes.
	AdminVerification struct {
		Success bool   `json:"success"`
		OK      bool   `json:"ok"`
		First   uint64 `json:"first"`
		Last    uint64 `json:"last"`
		Head    string `json:"head"`            // hash of the last entry
		Entry   uint64 `json:"entry,omitempty"` // the first entry at fault
		Reason  string `json:"reason,omitempty"`
	}
)

func adminGet(path string, reply any, doc string) Route {
	return Route{Method: get, Path: path, Auth: Admin, Reply: reply, Status: 200, Errors: []int{401, 429}, Extension: true, Doc: doc}
}

func adminChange(method, path string, body, reply any, doc string, more ...int) Route {
	return Route{Method: method, Path: path, Auth: Admin, Body: body, Reply: reply, Status: 200,
		Errors: append([]int{400, 401, 403, 413, 429}, more...), Extension: true, Doc: doc}
}

// MaxAuditPage is the most entries of the audit log in one reply.
const MaxAuditPage = 200

// adminAudit is the route of the audit log.
var adminAudit = func() Route {
	r := adminGet("/admin/api/audit", AdminAuditPage{}, "The newest entries of the audit log, or those that are asked for")
	r.Errors = []int{400, 401, 429}
	r.Query = []Parameter{
		{"before", "integer", "only entries with a smaller number: before of the previous reply"},
		{"limit", "integer", "how many at most, 1-" + itoa(MaxAuditPage) + "; default 100"},
		{"from", "integer", "only entries of this moment or later, ms since the epoch"},
		{"to", "integer", "only entries of this moment or earlier, ms since the epoch"},
		{"actions", "string", "only these actions, separated by commas"},
		{"text", "string", "only entries with all of these words: in the names of people and channels, ids and details"},
	}
	return r
}()

// AdminRoutes is every route of the administration. The administration's router
// ranges over it.
var AdminRoutes = slices.Concat([]Route{
	{Method: post, Path: "/admin/api/login", Auth: Public, Body: AdminLogin{}, Reply: AdminSession{}, Status: 200,
		Errors: []int{400, 401, 403, 413, 429, 503}, Extension: true, Doc: "Log in with an account's name and password; sets a cookie"},
	{Method: get, Path: "/admin/api/session", Auth: Public, Reply: AdminSession{}, Status: 200, Extension: true, Doc: "Whether the caller is logged in, and the CSRF token"},
	adminChange(post, "/admin/api/logout", nil, Success{}, "Log out"),
	adminGet("/admin/api/config", AdminConfig{}, "The parts of the configuration that can be edited live"),
	adminChange(put, "/admin/api/config", AdminEdit{}, AdminConfig{}, "Replace parts of the configuration", 409, 503),
	adminChange(post, "/admin/api/config/reset", AdminReset{}, AdminConfig{}, "Put parts, or all, back to the file", 409, 503),
	adminGet("/admin/api/sessions", AdminSessionList{}, "Dispatcher sessions"),
	adminChange(post, "/admin/api/sessions/revoke", AdminRevoke{}, AdminRevoked{}, "End all sessions of a login and close their sockets; 503: it is done, and stored when the disk is back", 404, 503),
	adminGet("/admin/api/users", AdminUserList{}, "Everyone on the radio"),
	adminAudit,
	adminGet("/admin/api/audit/verify", AdminVerification{}, "Check that no audit entry was changed, removed or put in"),
	adminGet("/admin/api/audit.jsonl", nil, "The audit log, one JSON entry a line"),
	adminGet("/admin/api/audit.csv", nil, "The audit log as CSV (RFC 4180)"),
	adminGet("/admin/api/resource.zip", nil, "The resource for the game server, with this service's address in it; 404: this build has none"),
}, adminKeyRoutes, adminScriptRoutes, adminWebhookRoutes, adminThemeRoutes, adminRecordingRoutes, adminLogRoutes, adminAccountRoutes, adminReloadRoutes, adminExplainRoutes, adminRadioRoutes)
