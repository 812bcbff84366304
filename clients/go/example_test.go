package client_test

import (
	"context"
	"fmt"
	"log"
	"os"

	client "squelch/clients/go"
	"squelch/core/wire"
)

// A call over REST.
func Example() {
	c, err := client.New("http://127.0.0.1:7777", client.Key(os.Getenv("SQUELCH_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	frequency, err := client.Frequency("154.755")
	if err != nil {
		log.Fatal(err)
	}
	if err := c.PostDispatchAlertTrigger(context.Background(), wire.AlertTrigger{Frequency: frequency, AlertType: "SIGNAL 100"}); err != nil {
		log.Fatal(err)
	}
}

// A listener: it hears who talks, and with OnVoice what is said.
func ExampleClient_Connect() {
	c, err := client.New("http://127.0.0.1:7777", client.Key(os.Getenv("SQUELCH_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	link, err := c.Connect(ctx, -40, client.OnTalkingState(func(_ *client.Link, t wire.TalkingState) {
		fmt.Println(t.Frequency, t.ServerID, t.State)
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer link.Close()
	if err := link.AddListeningChannel(ctx, client.MustFrequency("154.755")); err != nil {
		log.Fatal(err)
	}
	<-link.Done()
	log.Fatal(link.Err())
}

// A talk: the file is said at its own pace, unless somebody else has the floor.
func ExampleLink_Talk() {
	c, err := client.New("http://127.0.0.1:7777", client.Key(os.Getenv("SQUELCH_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Open("speech.ogg")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	packets, err := client.ReadOgg(f)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	link, err := c.Connect(ctx, -41)
	if err != nil {
		log.Fatal(err)
	}
	defer link.Close()
	channel := client.MustFrequency("154.755")
	if err := link.SetSpeakerChannel(ctx, channel); err != nil {
		log.Fatal(err)
	}
	if err := link.Talk(ctx, channel, packets); client.Busy(err) {
		fmt.Println("not now:", err)
	} else if err != nil {
		log.Fatal(err)
	}
}

func ExampleFrequency() {
	f, err := client.Frequency("154.810")
	fmt.Println(f.At, err)
	_, err = client.Frequency("channel 2")
	fmt.Println(err)
	// Output:
	// 154.81 <nil>
	// frequency "channel 2" is not a decimal number of MHz, such as 154.755
}
